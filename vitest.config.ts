import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { SlowestFirst } from './tests/support/slowest-first.ts'

// Tests import packages by name; the source condition makes that the .ts files, so no build is needed. Vitest hands
// these conditions to Node as well, where `import` here would also apply to require() and break CommonJS packages.
const conditions = ['@quillgate/source', 'node']

// Small files that leave nothing behind share processes: to start one costs more than most of them.
const small = globSync(
  [
    'packages/server/test/**/*.test.ts',
    'packages/trusted-devices/test/*.test.ts',
    'packages/trusted-devices/test/{alerts,devices,http,list,network,openapi,outbox,privacy,tokens}/**/*.test.ts',
    'packages/markdown-editor/test/{contract,settings,styles,templates,text,widget}/**/*.test.ts',
    'tests/support/*.test.ts',
  ],
  // What listens to the whole process, or changes its clock.
  {
    cwd: import.meta.dirname,
    exclude: ['**/hostile*', '**/multipart-watch.test.ts', '**/*.{browser,property}.test.ts'],
  },
)

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    reporters: ['default', './scripts/summary-reporter.mjs'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for may take its time on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // One more than processors, for tests wait for databases, disks and browsers; the default is one less.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'large',
          globalSetup: ['./tests/support/services.ts'],
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'tests/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...small],
        },
      },
      { extends: true, test: { name: 'small', isolate: false, include: small } },
    ],
  },
})

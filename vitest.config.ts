import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { SlowestFirst } from './tests/support/slowest-first.ts'

// Tests import packages by name; the source condition makes that the .ts files, so no build is needed. Vitest hands
// these conditions to Node as well, where `import` here would also apply to require() and break CommonJS packages.
const conditions = ['@quillgate/source', 'node']

// Long proofs, thousands of hostile requests, services that fail or hang, and storms of many tabs,
// users or transactions: `npm run verify`. The others are `npm test`.
const proofs = [
  'packages/*/test/**/{kill,model}/**/*.test.ts',
  'packages/*/test/**/attacks/**/*.security.test.ts',
  'packages/*/test/**/hostile/*.test.ts',
  'packages/*/test/**/{pathological,paste,references}.security.test.ts',
  'packages/*/test/**/{many-devices,fairness,json-bomb,hanging,database-away}.test.ts',
  'packages/*/test/**/{storm,concurrency,*.concurrency,original-flaws-races,eight-tabs}.test.ts',
  'packages/*/test/**/{tabs,relay,queue,*faults}.property.test.ts',
  'packages/*/test/**/{eight-pages,preview-blocks,preview-bytes,leaks}.browser.test.ts',
  'packages/markdown/test/{fast-states,incremental-renderer.property}.test.ts',
  'tests/e2e/rendering-attacks.test.ts',
  'tests/conformance/bundled.test.ts',
]

// Files that listen to the whole process, also by the signals of all instances, or change its clock,
// have a process of their own. The
// others share processes: to load all modules again costs more than most files.
const alone = ['**/hostile*.test.ts', '**/*.property.test.ts', '**/guide-examples.test.ts']

const everything = [
  'packages/*/test/**/*.test.ts',
  'apps/*/test/**/*.test.ts',
  'tests/**/*.test.ts',
]

const browser = ['packages/*/test/**/*.browser.test.ts', 'tests/e2e/**/*.test.ts']

export default defineConfig({
  ssr: { resolve: { conditions } },
  oxc: { decorator: { legacy: true } }, // as NestJS needs them
  test: {
    reporters: ['default', './scripts/summary-reporter.mjs'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for may take its time on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // Programs that tests start load TypeScript; without this each of them compiles it again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/quillgate-tests') },
    // Twice the processors, because tests wait for databases, disks and browsers. The default is one less.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          globalSetup: ['./tests/support/services.ts'],
          include: everything,
          exclude: [...configDefaults.exclude, ...alone, ...browser, ...proofs],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          globalSetup: ['./tests/support/services.ts'],
          include: alone,
          exclude: [...configDefaults.exclude, ...browser, ...proofs],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          globalSetup: ['./tests/support/services.ts'],
          include: browser,
          exclude: proofs,
          isolate: false,
          // A page on a busy machine may miss a key press. A test that needed its second attempt is printed.
          retry: 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'proofs',
          globalSetup: ['./tests/support/services.ts'],
          include: proofs,
        },
      },
    ],
  },
})

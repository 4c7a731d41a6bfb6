import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { SlowestFirst } from './tests/support/slowest-first.ts'

// With the condition `@quillgate/source`, a package name resolves to TypeScript files, so that tests
// need no build. The list must not contain `import`, because Node would also apply it to `require()`
// and then fail to load CommonJS packages.
const conditions = ['@quillgate/source', 'node']

// `npm run verify` runs these slow tests: thousands of hostile requests, services that fail or hang,
// and many tabs, users or transactions at once. `npm test` runs the other tests.
const proofs = [
  'packages/*/test/**/{kill,model}/**/*.test.ts',
  'packages/*/test/**/attacks/**/*.security.test.ts',
  'packages/*/test/**/hostile/*.test.ts',
  'packages/*/test/**/{pathological,paste,references}.security.test.ts',
  'packages/*/test/**/{many-devices,fairness,json-bomb,hanging,database-away}.test.ts',
  'packages/*/test/**/{storm,concurrency,*.concurrency,parallel-requests,eight-tabs}.test.ts',
  'packages/*/test/**/{tabs,relay,queue,*faults}.property.test.ts',
  'packages/*/test/**/{eight-pages,preview-blocks,preview-bytes,leaks}.browser.test.ts',
  'packages/markdown/test/{fast-states,incremental-renderer.property}.test.ts',
  'tests/e2e/rendering-attacks.test.ts',
  'tests/conformance/bundled.test.ts',
]

// Each of these files runs in its own process, because it listens to events of the whole process,
// changes its clock or replaces its global classes. The other files share processes, because loading
// all modules again takes longer than most files.
const alone = [
  '**/hostile*.test.ts',
  '**/*.property.test.ts',
  '**/{device,editor,framework}-examples.test.ts',
]

const everything = [
  'packages/*/test/**/*.test.ts',
  'apps/*/test/**/*.test.ts',
  'tests/**/*.test.ts',
]

const browser = ['packages/*/test/**/*.browser.test.ts', 'tests/e2e/**/*.test.ts']

export default defineConfig({
  ssr: { resolve: { conditions } },
  oxc: { decorator: { legacy: true } }, // NestJS needs legacy decorators.
  test: {
    reporters: ['default', './scripts/summary-reporter.mjs'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // On a busy machine, a condition can take long to become true.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // Caches compiled code. Otherwise, each program that a test starts would compile TypeScript again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/quillgate-tests') },
    // Twice the number of processors, because tests often wait for databases, disks and browsers.
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
          // On a busy machine, a page may miss a key press. The reporter prints each repeated test.
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

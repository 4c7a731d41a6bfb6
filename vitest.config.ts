import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Tests import packages by name; the source condition makes that the .ts files, so no build is needed. Vitest hands
// these conditions to Node as well, where `import` here would also apply to require() and break CommonJS packages.
const conditions = ['@quillgate/source', 'node']

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['./tests/support/services.ts'],
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: ['default', './scripts/summary-reporter.mjs'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for may take its time on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // One more than processors, for tests wait for databases, disks and browsers; the default is one less.
    maxWorkers: availableParallelism() + 1,
  },
})

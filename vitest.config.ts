import { defineConfig } from 'vitest/config'

// Tests import packages by name; the source condition makes that the .ts files, so no build is needed.
const conditions = ['@quillgate/source', 'node', 'import', 'module', 'default']

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: ['default', './scripts/summary-reporter.mjs'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})

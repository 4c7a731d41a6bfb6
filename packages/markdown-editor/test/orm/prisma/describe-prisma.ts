import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Dialect } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, it } from 'vitest'

const folder = join(import.meta.dirname, '..', '..', '..', '..', '..', 'examples', 'prisma')
const HOW =
  'Prisma is not installed: node scripts/bootstrap.mjs examples/prisma && npm --prefix examples/prisma run generate'

/**
 * Describes tests for every engine, like `describeDatabases`, with a module that needs Prisma.
 * Prisma is large and therefore optional. If it is not installed, describes a single test, which
 * is skipped or, with `QUILLGATE_REQUIRE_SERVICES=1`, fails.
 */
export function describePrisma<Module>(
  load: () => Promise<Module>,
  tests: (engine: TestEngine, module: Module) => void,
  engines?: readonly Dialect[],
): void {
  describe('Prisma', async () => {
    if (existsSync(join(folder, 'generated', 'app', 'client.ts'))) {
      const module = await load()
      return describeDatabases((engine) => tests(engine, module), engines)
    }
    it('is installed', (context) => {
      if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1') throw new Error(HOW)
      context.skip(HOW)
    })
  })
}

import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { runRandom } from './run-steps.ts'

/** The number of steps. `npm run verify:long -- devices` runs 50,000 steps. */
const STEPS = {
  'one by one': { sqlite: 3000, postgres: 700, mariadb: 700 },
  'at once': { sqlite: 800, postgres: 500, mariadb: 500 },
}
/**
 * If the services are required (`npm run check`, CI), at least half of the steps must run, and the
 * time limit is higher. If the services are optional, a busy machine may run fewer steps.
 */
const MUST_DO_HALF = process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
const SECONDS = MUST_DO_HALF ? 400 : 40
const TIMEOUT = 600_000
/** Each run of this test has the same steps. The long check uses a new seed each time. */
const SEED = 20261122

describe.concurrent('the device registry', () => {
  describeDatabases((engine) => {
    const run = async (kind: keyof typeof STEPS): Promise<void> => {
      const steps = STEPS[kind][engine.name]
      const done = await runRandom({ engine, kind, steps, seconds: SECONDS, seed: SEED })
      console.log(`devices, ${engine.name}, ${kind}: ${done} of ${steps} steps`)
      expect(done).toBeGreaterThanOrEqual(MUST_DO_HALF ? steps / 2 : 1)
    }

    it('behaves as documented for sequential calls', { timeout: TIMEOUT }, async () => {
      await run('one by one')
    })

    it('keeps its guarantees for parallel calls', { timeout: TIMEOUT }, async () => {
      await run('at once')
    })
  })
})

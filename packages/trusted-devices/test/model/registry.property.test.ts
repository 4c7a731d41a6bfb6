import { describeDatabases } from '@quillgate/database/testing/suites'
import { describe, expect, it } from 'vitest'
import { runRandom } from './run-steps.ts'

/** 5,000 together and more; 50,000 by `npm run verify:long -- devices`. */
const STEPS = {
  'one by one': { sqlite: 3000, postgres: 700, mariadb: 700 },
  'at once': { sqlite: 800, postgres: 500, mariadb: 500 },
}
/** A machine that is too busy does fewer. */
const SECONDS = 40
/** The same steps in each run; the long check has a new seed each time. */
const SEED = 20261122

describe.concurrent('the registry of devices', () => {
  describeDatabases((engine) => {
    const run = (kind: keyof typeof STEPS): Promise<number> =>
      runRandom({ engine, kind, steps: STEPS[kind][engine.name], seconds: SECONDS, seed: SEED })

    it('does what is documented, one step after the other', { timeout: 300_000 }, async () => {
      expect(await run('one by one')).toBeGreaterThan(0)
    })

    it('keeps its promises when all happens at once', { timeout: 300_000 }, async () => {
      expect(await run('at once')).toBeGreaterThan(0)
    })
  })
})

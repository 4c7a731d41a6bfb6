import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { runSteps } from './run-steps.ts'

/** Steps per engine, 5,000 on three engines. `npm run verify:long -- lifecycle` runs 100,000. */
const STEPS = { concurrent: 1400, sequential: 270 } as const
/** The time limit. A busy machine performs fewer steps. */
const SECONDS = 40
/** A fixed seed, so that each run has the same steps. The long verification varies the seed. */
const SEED = 20261122

describe.concurrent('lifecycle of media', () => {
  describeDatabases((engine) => {
    const run = (kind: keyof typeof STEPS): Promise<number> =>
      runSteps({ engine, kind, steps: STEPS[kind], seconds: SECONDS, seed: SEED })

    it('follows the model in sequence', { timeout: 300_000 }, async () => {
      expect(await run('sequential')).toBeGreaterThan(0)
    })

    it('never loses, exposes or leaks a file under concurrency', {
      timeout: 300_000,
    }, async () => {
      expect(await run('concurrent')).toBeGreaterThan(0)
    })
  })
})

import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { runSteps } from './run-steps.ts'

/** 5,000 together; 100,000 by `npm run verify:long -- lifecycle`. */
const STEPS = { 'at once': 1400, 'one by one': 270 } as const
/** A machine that is too busy does fewer. */
const SECONDS = 40
/** The same steps in each run; the long check has a new seed each time. */
const SEED = 20261122

describe.concurrent('lifecycle of media', () => {
  describeDatabases((engine) => {
    const run = (kind: keyof typeof STEPS): Promise<number> =>
      runSteps({ engine, kind, steps: STEPS[kind], seconds: SECONDS, seed: SEED })

    it('follows the model in sequence', { timeout: 300_000 }, async () => {
      expect(await run('one by one')).toBeGreaterThan(0)
    })

    it('never loses a file, exposes one to others or leaks one under concurrency', {
      timeout: 300_000,
    }, async () => {
      expect(await run('at once')).toBeGreaterThan(0)
    })
  })
})

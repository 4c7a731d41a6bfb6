import { describeDatabases } from '@quillgate/database/testing/suites'
import { describe, expect, it } from 'vitest'
import { runSteps } from './run-steps.ts'

/** 5,000 together; 100,000 by `npm run verify:long -- lifecycle`. */
const STEPS = { 'at once': 1400, 'one by one': 270 } as const

describe.concurrent('the life of media', () => {
  describeDatabases((engine) => {
    const seed = Math.trunc(Math.random() * 2 ** 31)
    const run = (kind: keyof typeof STEPS): Promise<number> => runSteps({ engine, kind, steps: STEPS[kind], seed })

    it('goes as specified, one step after the other', { timeout: 180_000 }, async () => {
      expect(await run('one by one')).toBeGreaterThanOrEqual(STEPS['one by one'])
    })

    it('loses, steals and leaves nothing when all happens at once', { timeout: 180_000 }, async () => {
      expect(await run('at once')).toBeGreaterThanOrEqual(STEPS['at once'])
    })
  })
})

import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { runSteps } from './run-steps.ts'
import { runSequence, sequenceOf } from './sequential.ts'
import type { Step, WorldOptions } from './steps.ts'

/** 5,000 together; 100,000 by `npm run verify:long -- lifecycle`. */
const STEPS = { 'at once': 1400, 'one by one': 270 } as const
/** A machine that is too busy does fewer. */
const SECONDS = 40
/** The same steps in each run; the long check has a new seed each time. */
const SEED = 20261122

/** What random sequences once found, as short as it gets. */
const FOUND: readonly { readonly what: string; readonly steps: readonly Step[] }[] = [
  {
    what: 'a held file is released when it has expired',
    steps: [
      { do: 'upload', who: 0, file: 'held' },
      { do: 'wait', hours: 25 },
      { do: 'sweep' },
      { do: 'release', file: 0 },
    ],
  },
  {
    what: 'a held file is released when its record has let it go',
    steps: [
      { do: 'upload', who: 2, file: 'held' },
      { do: 'finalize', who: 2, files: [0], times: 1 },
      { do: 'flip', who: 2, record: 0, file: 0 },
      { do: 'wait', hours: 25 },
      { do: 'sweep' },
      { do: 'release', file: 0 },
      { do: 'restore', file: 0 },
    ],
  },
]
const PLAIN: WorldOptions = {
  orphanGrace: 86_400,
  ownerQuota: null,
  isFoundRows: false,
  seed: 0,
}

describe.concurrent('the life of media', () => {
  describeDatabases((engine) => {
    const run = (kind: keyof typeof STEPS): Promise<number> =>
      runSteps({ engine, kind, steps: STEPS[kind], seconds: SECONDS, seed: SEED })

    // Runs beside the random sequences, which keep the processor busy.
    it.each(FOUND)('goes as specified when $what', { timeout: 60_000 }, async ({ steps }) => {
      expect(await runSequence(engine, sequenceOf(steps), PLAIN)).toBe(steps.length)
    })

    it('goes as specified, one step after the other', { timeout: 300_000 }, async () => {
      expect(await run('one by one')).toBeGreaterThan(0)
    })

    it('loses, steals and leaves nothing when all happens at once', {
      timeout: 300_000,
    }, async () => {
      expect(await run('at once')).toBeGreaterThan(0)
    })
  })
})

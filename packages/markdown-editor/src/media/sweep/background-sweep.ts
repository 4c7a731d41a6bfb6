import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@quillgate/server/core'
import type { SweepOptions } from './sweep.ts'
import type { SweepReport } from './sweep-report.ts'

/** Sweeps in the process of the application. */
export interface BackgroundSweep {
  /** Begins to sweep every `sweepInterval`. It does not keep the process alive. */
  start(): void
  /**
   * Does a little, for hosts whose processes do not live long enough for a timer: at most 20 files,
   * not more often than once in `pause`. Never rejects.
   */
  sweepSome(): Promise<void>
  /** Ends the timer, and a sweep behind the file that it is at. */
  stop(): Promise<void>
}

/** The collaborators of {@link createBackgroundSweep}. */
export interface BackgroundSweepOptions {
  readonly sweep: (options: SweepOptions) => Promise<SweepReport>
  /** Seconds; null: nothing is swept in this process. */
  readonly interval: number | null
  /** Milliseconds between two of {@link BackgroundSweep.sweepSome}. */
  readonly pause: number
  readonly clock: () => number
  readonly logger: Logger
}

/** Files that one upload may sweep. */
const FILES_PER_UPLOAD = 20
/** Milliseconds from the start to the first sweep, at most. */
const FIRST_PAUSE = 600_000
/** Timers know no longer pause; about 24 days. */
const LONGEST_PAUSE = 2 ** 31 - 1

/** Makes the background sweep of one process. */
export function createBackgroundSweep(options: BackgroundSweepOptions): BackgroundSweep {
  const { sweep, interval, clock, logger } = options
  const ended = new AbortController()
  let last = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null

  const run = async (how: SweepOptions): Promise<void> => {
    last = clock()
    try {
      const { stopped, failed } = await sweep({ ...how, signal: ended.signal })
      if (stopped !== null)
        logger.warn(
          `The sweep left files alone: ${stopped}. "markdown-editor sweep --dry-run" tells more.`,
        )
      if (failed > 0)
        logger.warn(`The sweep could not remove ${failed} files; the next one tries again.`)
    } catch (error) {
      logger.error('The sweep failed; the next one tries again.', error)
    } finally {
      running = null
    }
  }
  const runOnce = (how: SweepOptions): Promise<void> => {
    running ??= run(how)
    return running
  }

  const loop = async (milliseconds: number): Promise<void> => {
    // Somewhat random, so that nodes that were started together do not sweep together; and the
    // first time rather soon.
    let pause = Math.min(milliseconds, FIRST_PAUSE) * (0.5 + 0.5 * Math.random())
    while (await sleep(pause, true, { ref: false, signal: ended.signal }).catch(() => false)) {
      await runOnce({ keepGoing: true })
      pause = Math.min(milliseconds * (0.9 + 0.2 * Math.random()), LONGEST_PAUSE)
    }
  }

  return {
    start() {
      if (interval !== null) void loop(interval * 1000)
    },
    async sweepSome() {
      // A whole sweep may take hours, so callers do not wait for it.
      if (interval === null || running || ended.signal.aborted || clock() - last < options.pause)
        return
      await runOnce({ limit: FILES_PER_UPLOAD, keepGoing: true })
    },
    async stop() {
      ended.abort()
      await running
    },
  }
}

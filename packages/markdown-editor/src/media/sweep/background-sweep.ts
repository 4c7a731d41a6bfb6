import { setTimeout as sleep } from 'node:timers/promises'
import type { MediaServices } from '../services.ts'
import type { SweepOptions } from './sweep.ts'
import type { SweepReport } from './sweep-report.ts'

/** Files that one upload may sweep. */
const FILES_PER_UPLOAD = 20
/** The longest pause in milliseconds from the start to the first sweep. */
const MAX_FIRST_PAUSE = 600_000
/** The longest delay of a timer in milliseconds, about 24 days. */
const MAX_PAUSE = 2 ** 31 - 1

/** Sweeps in the process of the application. */
export class BackgroundSweep {
  readonly #sweep: (options: SweepOptions) => Promise<SweepReport>
  readonly #media: Pick<MediaServices, 'clock' | 'logger' | 'settings'>
  readonly #ended = new AbortController()
  #last = Number.NEGATIVE_INFINITY
  #running: Promise<void> | null = null

  constructor(
    sweep: (options: SweepOptions) => Promise<SweepReport>,
    media: Pick<MediaServices, 'clock' | 'logger' | 'settings'>,
  ) {
    this.#sweep = sweep
    this.#media = media
  }

  /** Begins to sweep at intervals. It does not keep the process alive. */
  start(): void {
    const { sweepInterval } = this.#media.settings
    if (sweepInterval !== null) void this.#loop(sweepInterval * 1000)
  }

  /**
   * Sweeps at most 20 files, at most once a minute or in the time in which files become due, for
   * hosts whose processes do not live long enough for a timer. Never rejects.
   */
  async sweepSome(): Promise<void> {
    const { clock, settings } = this.#media
    const { sweepInterval, tempMaxAge, unsavedGrace, orphanGrace } = settings
    const pause = Math.min(60, tempMaxAge, unsavedGrace ?? 60, orphanGrace || 60)
    // A whole sweep may take hours, so callers do not wait for it.
    const isIdle = sweepInterval !== null && !this.#running && !this.#ended.signal.aborted
    if (isIdle && clock() - this.#last >= pause * 1000) await this.#run({ limit: FILES_PER_UPLOAD })
  }

  /** Ends the timer, and the running sweep after the file that it is handling. */
  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#running
  }

  async #loop(milliseconds: number): Promise<void> {
    const { signal } = this.#ended
    // Random, so that nodes that were started together do not sweep together.
    let pause = Math.min(milliseconds, MAX_FIRST_PAUSE) * (0.5 + 0.5 * Math.random())
    while (await sleep(pause, true, { ref: false, signal }).catch(() => false)) {
      await this.#run({})
      pause = Math.min(milliseconds * (0.9 + 0.2 * Math.random()), MAX_PAUSE)
    }
  }

  #run(how: SweepOptions): Promise<void> {
    this.#running ??= this.#sweepOrLog(how).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #sweepOrLog(how: SweepOptions): Promise<void> {
    const { clock, logger } = this.#media
    this.#last = clock()
    try {
      const { stopped, failed } = await this.#sweep({ ...how, signal: this.#ended.signal })
      if (stopped !== null)
        logger.warn(
          `The sweep skipped files: ${stopped}. "markdown-editor sweep --dry-run" says more.`,
        )
      if (failed > 0)
        logger.warn(`The sweep could not remove ${failed} files; the next one tries again.`)
    } catch (error) {
      logger.error('The sweep failed; the next one tries again.', error)
    }
  }
}

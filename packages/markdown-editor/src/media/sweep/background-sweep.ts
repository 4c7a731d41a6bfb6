import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@quillgate/server/core'
import type { SweepOptions } from './sweep.ts'
import type { SweepReport } from './sweep-report.ts'

const MAX_FIRST_PAUSE = 600_000
/** The maximum delay of a Node.js timer in milliseconds, about 24 days. */
const MAX_PAUSE = 2 ** 31 - 1

type Sweep = (options: SweepOptions) => Promise<Pick<SweepReport, 'stopped' | 'failed'>>

/** Runs sweeps at intervals in the process of the application. */
export class BackgroundSweep {
  readonly #sweep: Sweep
  readonly #logger: Logger
  readonly #ended = new AbortController()
  #running: Promise<void> | null = null

  constructor(sweep: Sweep, logger: Logger) {
    this.#sweep = sweep
    this.#logger = logger
  }

  /** Starts the timer, which does not keep the process running. For null, does nothing. */
  start(seconds: number | null): void {
    if (seconds !== null) this.#running = this.#loop(seconds * 1000)
  }

  /** Stops the timer. A running sweep stops after its current file. */
  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#running
  }

  async #loop(milliseconds: number): Promise<void> {
    const { signal } = this.#ended
    // The pause is random. Otherwise, nodes that start together would sweep together.
    let pause = Math.min(milliseconds, MAX_FIRST_PAUSE) * (0.5 + 0.5 * Math.random())
    while (await sleep(pause, true, { ref: false, signal }).catch(() => false)) {
      await this.#sweepOrLog()
      pause = Math.min(milliseconds * (0.9 + 0.2 * Math.random()), MAX_PAUSE)
    }
  }

  async #sweepOrLog(): Promise<void> {
    const logger = this.#logger
    try {
      const { stopped, failed } = await this.#sweep({ signal: this.#ended.signal })
      if (stopped !== null)
        logger.warn(
          `The sweep deleted nothing: ${stopped}. Run "markdown-editor sweep --dry-run" for details.`,
        )
      if (failed > 0) logger.warn(`${failed} sweep tasks failed. The next sweep will try again.`)
    } catch (error) {
      logger.error('The sweep failed. The next sweep will try again.', error)
    }
  }
}

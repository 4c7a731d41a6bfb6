import type { TokenPlatform } from './platform.ts'

const FIRST = 1_000
const LONGEST = 60_000
const HOUR = 3_600_000

/**
 * The time in which the client sends no requests, because the server did not answer or asked to
 * wait.
 */
export class Pause {
  readonly #platform: TokenPlatform
  #since = 0
  #until = 0
  #failures = 0

  constructor(platform: TokenPlatform) {
    this.#platform = platform
  }

  /**
   * The end of the pause in milliseconds since the epoch, or null. If the clock is set back to
   * before the pause began, the pause ends.
   */
  get end(): number | null {
    const now = this.#platform.clock()
    return now >= this.#since && now < this.#until ? this.#until : null
  }

  /**
   * Starts a pause after a failure. The pause roughly doubles with each failure, up to a minute. It
   * is longer if the server asks for it.
   *
   * @param asked the milliseconds of the `retry-after` header, or null
   * @returns the end of the pause
   */
  begin(asked: number | null): number {
    const { clock, random } = this.#platform
    const own = Math.min(FIRST * 2 ** this.#failures++, LONGEST) * (0.5 + random() / 2)
    return this.set(clock() + Math.max(asked ?? 0, own))
  }

  /**
   * Sets the end of the pause, in milliseconds since the epoch, at most an hour from now. Also
   * called for a pause of another tab.
   *
   * @returns the end that was set
   */
  set(until: number): number {
    this.#since = this.#platform.clock()
    this.#until = Math.min(until, this.#since + HOUR)
    return this.#until
  }

  /** Ends the pause, because the server answers again. */
  clear(): void {
    this.#until = 0
    this.#failures = 0
  }
}

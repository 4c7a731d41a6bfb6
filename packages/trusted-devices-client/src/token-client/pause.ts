import type { TokenPlatform } from './platform.ts'

const FIRST = 1_000
const LONGEST = 60_000
const HOUR = 3_600_000

/**
 * A time during which the client sends no requests, because the server did not respond or asked the
 * client to wait.
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
   * The end of the pause in milliseconds since the epoch, or null if there is no pause. A pause
   * also ends if the clock was set back to a time before its start.
   */
  get end(): number | null {
    const now = this.#platform.clock()
    return now >= this.#since && now < this.#until ? this.#until : null
  }

  /**
   * Starts a pause after a failure. The length of the pause roughly doubles with each failure, up
   * to a minute. If the server asks for a longer pause, the pause is longer.
   *
   * @param asked the duration in the `retry-after` header in milliseconds, or null
   * @returns the end of the pause
   */
  begin(asked: number | null): number {
    const { clock, random } = this.#platform
    const own = Math.min(FIRST * 2 ** this.#failures++, LONGEST) * (0.5 + random() / 2)
    return this.set(clock() + Math.max(asked ?? 0, own))
  }

  /**
   * Sets the end of the pause, in milliseconds since the epoch. The end is at most an hour from
   * now. Also called if another tab starts a pause.
   *
   * @returns the end that was set
   */
  set(until: number): number {
    this.#since = this.#platform.clock()
    this.#until = Math.min(until, this.#since + HOUR)
    return this.#until
  }

  /** Ends the pause, and resets the length of the next pause. */
  clear(): void {
    this.#until = 0
    this.#failures = 0
  }
}

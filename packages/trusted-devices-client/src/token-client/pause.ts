import type { TokenPlatform } from './platform.ts'

const FIRST = 1_000
const LONGEST = 60_000
const HOUR = 3_600_000

/** How long the client waits when the server does not answer or asks to wait. */
export class Pause {
  readonly #platform: TokenPlatform
  #since = 0
  #until = 0
  #failures = 0

  constructor(platform: TokenPlatform) {
    this.#platform = platform
  }

  /** The end of the pause, or null. A clock that is set back ends it. */
  get end(): number | null {
    const now = this.#platform.clock()
    return now >= this.#since && now < this.#until ? this.#until : null
  }

  /**
   * Starts a pause after a failure, longer each time. @param asked milliseconds of `retry-after`,
   * or null
   */
  begin(asked: number | null): number {
    const { clock, random } = this.#platform
    const own = Math.min(FIRST * 2 ** this.#failures++, LONGEST) * (0.5 + random() / 2)
    return this.set(clock() + Math.max(asked ?? 0, own))
  }

  /** Sets the end that another tab sent, at most an hour from now. */
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

/** How far the parser of a form is. */
export interface ParserFeed {
  /** How many pieces of the body it was given. */
  pieces: number
  /** True while the next bytes are the client's to send: it may take its time. */
  awaitsClient: boolean
}

const INTERVAL = 1000

/**
 * Looks after what only the parser can give, and gives up when it neither gives it nor takes more
 * of the body: between two looks, a second apart, all that was asked of it is long done.
 */
export class ParserWatch {
  readonly #feed: ParserFeed
  readonly #onStall: () => void
  #timer: NodeJS.Timeout | undefined
  #waits = 0
  #isWaiting = false
  #seen = ''

  /**
   * @param onStall called when the parser does nothing any more; it must make what is waited for
   * settle
   */
  constructor(feed: ParserFeed, onStall: () => void) {
    this.#feed = feed
    this.#onStall = onStall
  }

  /**
   * Waits for a promise. Only one wait at a time. The timer continues between waits, until {@link
   * stop}.
   */
  async until<Value>(promise: Promise<Value>): Promise<Value> {
    this.#timer ??= setInterval(this.#look, INTERVAL)
    this.#waits++
    this.#isWaiting = true
    try {
      return await promise
    } finally {
      this.#isWaiting = false
    }
  }

  /** Ends the looking. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  readonly #look = (): void => {
    const { awaitsClient, pieces } = this.#feed
    const now = `${this.#waits} ${pieces}`
    const isStalled = this.#isWaiting && !awaitsClient && now === this.#seen
    this.#seen = this.#isWaiting && !awaitsClient ? now : ''
    if (isStalled) this.#onStall()
  }
}

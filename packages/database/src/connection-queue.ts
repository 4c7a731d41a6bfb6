/** First come, first served access to the one connection of SQLite and PGlite. */
export class ConnectionQueue {
  #tail: Promise<void> = Promise.resolve()
  #release: (() => void) | undefined

  /** Waits for the connection; every caller must {@link leave}. */
  async enter(): Promise<void> {
    const before = this.#tail
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tail = promise
    await before
    this.#release = resolve
  }

  /** Hands the connection to the next in line. */
  leave(): void {
    this.#release?.()
  }
}

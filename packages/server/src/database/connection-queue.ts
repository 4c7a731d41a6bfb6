/**
 * First come, first served access to the connections of a database; SQLite and PGlite have only
 * one.
 */
export class ConnectionQueue {
  readonly #places: number
  #taken = 0
  #waiting: (() => void)[] = []
  #emptied: (() => void)[] = []

  /** @param places how many may be in at once */
  constructor(places: number) {
    this.#places = places
  }

  /** Waits for a place; every caller must {@link leave}. */
  async enter(): Promise<void> {
    if (this.#taken < this.#places) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Hands the place to the next in line. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
    if (this.#taken === 0) for (const resolve of this.#emptied.splice(0)) resolve()
  }

  /** Waits until the queue and the connection are free. */
  async empty(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve))
  }
}

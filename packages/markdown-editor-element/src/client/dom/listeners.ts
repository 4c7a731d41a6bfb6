/** Functions that are told of something, one after the other. What one of them throws is reported, and keeps it from no other. */
export class Listeners<Told extends readonly unknown[] = []> {
  readonly #all: ((...told: Told) => void)[] = []

  /** Adds one. */
  add(listener: (...told: Told) => void): void {
    this.#all.push(listener)
  }

  /** Tells them. */
  tell(...told: Told): void {
    for (const listener of this.#all) {
      try {
        listener(...told)
      } catch (error) {
        reportError(error)
      }
    }
  }

  /** Forgets them. */
  clear(): void {
    this.#all.length = 0
  }
}

/** Runs one step at a time for each key, within this process. */
export class KeyLocks {
  readonly #last = new Map<string, Promise<void>>()

  async run<Result>(key: string, step: () => Promise<Result>): Promise<Result> {
    const { promise: done, resolve: release } = Promise.withResolvers<void>()
    const previous = this.#last.get(key)
    this.#last.set(key, done)
    try {
      await previous
      return await step()
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key)
      release()
    }
  }
}

/**
 * A queue whose values are read one by one. It is used instead of `on` of `node:events`, because
 * each iterator of `on` uses 32 kB of memory.
 */
export class AsyncQueue<Value extends object> implements AsyncIterableIterator<Value, undefined> {
  #values: Value[] = []
  #isEnded = false
  #error: unknown
  #wake = (): void => {}

  get length(): number {
    return this.#values.length
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  readonly push = (value: Value): void => {
    this.#values.push(value)
    this.#wake()
  }

  /** Ends the queue after its last value. Later calls of `fail` have no effect. */
  readonly end = (): void => {
    this.#isEnded = true
    this.#wake()
  }

  /** Ends the queue after its last value. A later call of `next` throws the error. */
  readonly fail = (error: unknown): void => {
    if (!this.#isEnded) this.#error = error
    this.end()
  }

  /** Returns the next value. Call `next` again only after the returned promise has settled. */
  async next(): Promise<IteratorResult<Value, undefined>> {
    while (this.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const value = this.#values.shift()
    if (value) return { done: false, value }
    if (this.#error !== undefined) throw this.#error
    return { done: true, value: undefined }
  }

  /** Discards the values and ends the queue. A pending call of `next` resolves. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#values = []
    this.#error = undefined
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

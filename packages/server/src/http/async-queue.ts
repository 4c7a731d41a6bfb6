/**
 * Values that are pushed now and read later, one by one. The events of Node.js (`on` of
 * `node:events`) could be read like this too, but each iterator takes 32 kB of memory.
 */
export class AsyncQueue<Value extends object> implements AsyncIterableIterator<Value, undefined> {
  #values: Value[] = []
  #isEnded = false
  #error: unknown
  #wake = (): void => {}

  get length(): number {
    return this.#values.length
  }

  readonly push = (value: Value): void => {
    this.#values.push(value)
    this.#wake()
  }

  /** Ends the queue after the values in it. Only the first end or failure counts. */
  readonly end = (): void => {
    this.#isEnded = true
    this.#wake()
  }

  /** After the values in the queue, `next` throws the error. */
  readonly fail = (error: unknown): void => {
    if (!this.#isEnded) this.#error = error
    this.end()
  }

  /** Calls must not overlap. */
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

  /** Drops the values in the queue and ends it, also while `next` waits. */
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

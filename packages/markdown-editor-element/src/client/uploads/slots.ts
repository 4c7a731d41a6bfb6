/** Lets a number of tasks run at once; the others wait for their turn in order. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  /** @param count how many may run at once */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Runs a task when its turn comes.
   *
   * @throws the signal's reason when it is aborted before that, or what the task throws
   */
  async run<Result>(signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    await this.#acquire(signal)
    try {
      return await task()
    } finally {
      this.#release()
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1)
        reject(signal.reason)
      }
      this.#waiting.push(give)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

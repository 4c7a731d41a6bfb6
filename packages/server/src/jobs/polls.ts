/**
 * Repeats work with a pause after each poll. Pauses differ by up to a fifth, so that processes that
 * were started together do not poll together. The timer keeps no process alive.
 */
export class Polls {
  readonly #poll: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  /** @param interval seconds */
  constructor(
    work: () => Promise<unknown>,
    interval: number,
    random: () => number,
    onError: (error: unknown) => void,
  ) {
    this.#poll = async () => {
      await work().catch(onError)
      if (this.#isStopped) return
      const pause = interval * 1000 * (0.8 + 0.4 * random())
      this.#timer = setTimeout(() => {
        this.#running = this.#poll()
      }, pause).unref()
    }
  }

  /** Polls at once, and from then on. */
  start(): void {
    this.#running ??= this.#poll()
  }

  /** Begins no further poll. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Waits for the poll under way. */
  async settle(): Promise<void> {
    await this.#running
  }
}

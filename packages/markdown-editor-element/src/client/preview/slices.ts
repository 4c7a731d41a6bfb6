// Milliseconds of a slice. The layout that comes after it takes several times as long.
const LENGTH = 6

// In a page that is not shown there are no frames.
const FRAME_TIMEOUT = 100

/** Cuts work on a page into slices of some milliseconds, one for each frame, so that the page answers in between. */
export class Slices {
  readonly #signal: AbortSignal
  #end = performance.now() + LENGTH

  /** @param signal ends the work */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /**
   * Ends a slice that is full; null while there is time left.
   *
   * @throws the signal's reason
   */
  next(): Promise<void> | null {
    return performance.now() < this.#end ? null : this.#start()
  }

  async #start(): Promise<void> {
    await nextFrame()
    this.#signal.throwIfAborted()
    this.#end = performance.now() + LENGTH
  }
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve)
    setTimeout(resolve, FRAME_TIMEOUT)
  })
}

// Milliseconds without anything new. Long enough to stay out of the way of who types.
const PAUSE = 200

// What follows so soon belongs to what was before: with each key the text changes, and then the selection.
const GRAIN = 20

/** Calls functions when nothing has happened for a while: one timer, and one frame of the browser, for all of them. */
export class Quiet {
  readonly #listeners: (() => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #last = 0
  #set = 0

  /** Calls a function whenever it has become quiet. */
  on(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Something happens. */
  note(): void {
    this.#last = performance.now()
    if (this.#timer === undefined || this.#last - this.#set > GRAIN) this.#wait()
  }

  /** Ends it. */
  end(): void {
    clearTimeout(this.#timer)
    this.#listeners.length = 0
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#set = performance.now()
    this.#timer = setTimeout(() => this.#wake(), this.#last + PAUSE - this.#set)
  }

  #wake(): void {
    this.#timer = undefined
    if (performance.now() < this.#last + PAUSE - GRAIN) this.#wait()
    else for (const listener of this.#listeners) listener()
  }
}

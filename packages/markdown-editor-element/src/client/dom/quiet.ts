import { Listeners } from './listeners.ts'

// Milliseconds without anything new. Long enough to stay out of the way of who types.
const PAUSE = 150

// What follows so soon belongs to what was before: with each key the text changes, and then the selection.
const GRAIN = 20

/** Tells when nothing has happened for a while: one timer, and one frame of the browser, for all that wait for it. */
export class Quiet {
  readonly listeners: Listeners = new Listeners()
  #timer: ReturnType<typeof setTimeout> | undefined
  #set = 0

  /** Something happens. */
  note(): void {
    const now = performance.now()
    if (this.#timer !== undefined && now - this.#set <= GRAIN) return
    clearTimeout(this.#timer)
    this.#set = now
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.listeners.tell()
    }, PAUSE)
  }

  /** Ends it. */
  end(): void {
    clearTimeout(this.#timer)
    this.listeners.clear()
  }
}

// The preview follows when typing pauses, at the latest after this time in milliseconds.
const WHILE = 2000

// A text that is slow to show is shown less often: showing may use this share of the time.
const SHARE = 20
const LONGEST = 2000

/** Decides when a preview next to the text is updated. */
export class PreviewPace {
  #isTyping = false
  #typingSince = 0
  #lastUpdate = Number.NEGATIVE_INFINITY
  #restsUntil = Number.NEGATIVE_INFINITY
  /** Ends the wait for the next update. */
  #wake: (() => void) | null = null
  /** Ends the wait of what is rendered. */
  #release: (() => void) | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  /** The text has changed. */
  typed(): void {
    if (!this.#isTyping) this.#typingSince = performance.now()
    this.#isTyping = true
    this.moved()
  }

  /** The caret has moved. Each key looks whether the time has come: a timer would cost it more. */
  moved(): void {
    this.#release?.()
    if (this.#wake !== null && this.#rest <= 0) this.#wake()
  }

  /** Called when neither the text nor the selection changes. */
  paused(): void {
    this.#isTyping = false
    this.#release?.()
    this.#wakeLater()
  }

  /** Called when the preview is shown alone or closed, so that waiting is pointless. */
  hurry(): void {
    this.#release?.()
    this.#wake?.()
  }

  /** Waits until the next update is due. */
  async due(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#wakeLater()
    })
    clearTimeout(this.#timer)
    this.#wake = null
    this.#lastUpdate = performance.now()
  }

  /** Waits for the next key, because its frame shows the update too. */
  async nextKey(): Promise<void> {
    if (!this.#isTyping) return
    await new Promise<void>((resolve) => {
      this.#release = resolve
    })
    this.#release = null
  }

  /** Notes that an update was shown, and how long the page took. */
  shown(cost: number): void {
    this.#restsUntil = performance.now() + Math.min(cost * SHARE, LONGEST)
  }

  #wakeLater(): void {
    clearTimeout(this.#timer)
    const rest = this.#rest
    if (rest <= 0) this.#wake?.()
    else if (this.#wake !== null && !this.#isTyping) this.#timer = setTimeout(this.#wake, rest)
  }

  /** The milliseconds until the next update. */
  get #rest(): number {
    const due = this.#isTyping ? Math.max(this.#typingSince, this.#lastUpdate) + WHILE : 0
    return Math.max(due, this.#restsUntil) - performance.now()
  }
}

/** A bracket that may begin a link or an image. */
export interface Bracket {
  /** Position of the `[`. */
  readonly position: number
  readonly isImage: boolean
  /** Whether another bracket was opened after it. */
  hasInner: boolean
}

/** The open brackets of a text. */
export class Brackets {
  readonly #open: Bracket[] = []
  /** Brackets below this depth are within what a link would hold: links do not nest. */
  #linkFloor = 0

  open(position: number, isImage: boolean): void {
    const outer = this.#open.at(-1)
    if (outer !== undefined) outer.hasInner = true
    this.#open.push({ position, isImage, hasInner: false })
  }

  /** Takes the innermost bracket; null when there is none, or when it can no longer begin a link. */
  close(): Bracket | null {
    const bracket = this.#open.pop()
    const isActive = this.#open.length >= this.#linkFloor
    this.#linkFloor = Math.min(this.#linkFloor, this.#open.length)
    return bracket !== undefined && (isActive || bracket.isImage) ? bracket : null
  }

  /** Keeps the brackets that are open now from beginning a link, because one was just found after them. */
  forbidLinks(): void {
    this.#linkFloor = this.#open.length
  }
}

import type { BlockView } from './block-view.ts'

/** The first element of a block, and the line of the text at which the block begins. */
interface Place {
  readonly line: number
  readonly element: Element
}

/** A range of lines and its scroll positions in the preview, in CSS pixels. */
interface Span {
  readonly from: number
  readonly to: number
  readonly top: number
  readonly bottom: number
}

/** Maps lines of the text to positions in a preview and back. Interpolates within blocks. */
export class BlockPositions {
  readonly #view: BlockView
  readonly #pane: HTMLElement

  constructor(view: BlockView, pane: HTMLElement) {
    this.#view = view
    this.#pane = pane
  }

  /** Returns the scroll position at which a line is at the upper edge of the pane. */
  topOf(line: number): number {
    const { from, to, top, bottom } = this.#spanAt((place) => place.line <= line)
    return top + (bottom - top) * shareOf(line, from, to)
  }

  /** Returns the line, with a fraction, at the upper edge of the pane for a scroll position. */
  lineAt(scrollTop: number): number {
    const { from, to, top, bottom } = this.#spanAt((place) => this.#topOf(place) <= scrollTop)
    return from + (to - from) * shareOf(scrollTop, top, bottom)
  }

  /** Finds a span by binary search. `isBefore` is true for the first blocks and then false. */
  #spanAt(isBefore: (place: Place) => boolean): Span {
    const places = this.#places()
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >> 1
      const place = places[middle]
      if (place !== undefined && isBefore(place)) low = middle + 1
      else high = middle
    }
    const [block, next] = [places[low - 1], places[low]]
    const top = block === undefined ? 0 : this.#topOf(block)
    const height = block?.element.getBoundingClientRect().height ?? 0
    return {
      from: block?.line ?? 0,
      to: next?.line ?? this.#view.lines + 1,
      top,
      bottom: next === undefined ? top + height : this.#topOf(next),
    }
  }

  #places(): Place[] {
    return this.#view.blocks.flatMap(({ line, nodes }) => {
      const element = nodes?.find((node) => node instanceof Element)
      return element === undefined ? [] : { line, element }
    })
  }

  // Returns the distance from the start of the pane's scrolled content, without its padding.
  #topOf({ element }: Place): number {
    const { top } = this.#pane.getBoundingClientRect()
    const padding = Number.parseFloat(getComputedStyle(this.#pane).paddingBlockStart) || 0
    const { clientTop, scrollTop } = this.#pane
    return element.getBoundingClientRect().top - top - clientTop + scrollTop - padding
  }
}

function shareOf(value: number, from: number, to: number): number {
  return to > from ? Math.min(Math.max((value - from) / (to - from), 0), 1) : 0
}

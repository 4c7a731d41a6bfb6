import type { BlockView } from './block-view.ts'

/** A block that can be seen, with its first element. */
interface Place {
  readonly line: number
  readonly element: Element
}

/** A range of lines and its position on the page. */
interface Span {
  readonly from: number
  readonly to: number
  readonly top: number
  readonly bottom: number
}

/** Maps lines of the text to positions in a preview and back. Within blocks it interpolates. */
export class BlockPositions {
  readonly #view: BlockView
  readonly #pane: HTMLElement

  constructor(view: BlockView, pane: HTMLElement) {
    this.#view = view
    this.#pane = pane
  }

  /** The scroll position, in CSS pixels, that shows a line at the upper edge. */
  topOf(line: number): number {
    const { from, to, top, bottom } = this.#spanAt((place) => place.line <= line)
    return top + (bottom - top) * shareOf(line, from, to)
  }

  /** The line at the upper edge, with a fraction, when the pane is scrolled so far. */
  lineAt(scrollTop: number): number {
    const { from, to, top, bottom } = this.#spanAt((place) => this.#topOf(place) <= scrollTop)
    return from + (to - from) * shareOf(scrollTop, top, bottom)
  }

  /**
   * The range from the last block for which a condition holds to the next block. The condition
   * holds for the first blocks only.
   */
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
    return {
      from: block?.line ?? 0,
      to: next?.line ?? this.#view.lines + 1,
      top,
      bottom: next === undefined ? top + heightOf(block) : this.#topOf(next),
    }
  }

  #places(): Place[] {
    return this.#view.blocks.flatMap(({ line, nodes }) => {
      const element = nodes?.find((node) => node instanceof Element)
      return element === undefined ? [] : { line, element }
    })
  }

  // From the upper edge of what is scrolled; its padding does not count.
  #topOf({ element }: Place): number {
    const { top } = this.#pane.getBoundingClientRect()
    const padding = Number.parseFloat(getComputedStyle(this.#pane).paddingBlockStart) || 0
    const { clientTop, scrollTop } = this.#pane
    return element.getBoundingClientRect().top - top - clientTop + scrollTop - padding
  }
}

function heightOf(place: Place | undefined): number {
  return place?.element.getBoundingClientRect().height ?? 0
}

function shareOf(value: number, from: number, to: number): number {
  return to > from ? Math.min(Math.max((value - from) / (to - from), 0), 1) : 0
}

import { type BlockView, partOf, type ShownBlock } from './block-view.ts'

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
    const { from, to, top, bottom } = this.#spanOf(this.#last((block) => block.line <= line))
    return top + (bottom - top) * shareOf(line, from, to)
  }

  /** The line at the upper edge, with a fraction, when the pane is scrolled so far. */
  lineAt(scrollTop: number): number {
    const { from, to, top, bottom } = this.#spanOf(
      this.#last((_, place) => this.#topOf(place) <= scrollTop),
    )
    return from + (to - from) * shareOf(scrollTop, top, bottom)
  }

  // From where a block begins to where the next one that can be seen does.
  #spanOf(index: number): Span {
    const [block, place] = this.#seen(index, -1)
    // All blocks of a part that is not laid out have its place.
    const isElsewhere = (other: Element): boolean => other !== place
    const [first] = this.#seen(this.#nearest(index, -1, isElsewhere) + 1, 1)
    const [after, next] = this.#seen(this.#nearest(index, 1, isElsewhere), 1)
    const top = place === null ? 0 : this.#topOf(place)
    const end =
      place === null ? this.#pane.scrollHeight : top + place.getBoundingClientRect().height
    return {
      from:
        (place !== null && partOf(block?.nodes?.[0] ?? null) === place ? first : block)?.line ?? 0,
      to: after?.line ?? this.#view.lines + 1,
      top,
      bottom: next === null ? end : this.#topOf(next),
    }
  }

  /** The last visible block for which a condition holds that holds for a prefix, or -1. */
  #last(isSo: (block: ShownBlock, place: Element) => boolean): number {
    let low = 0
    let high = this.#view.blocks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const [block, place] = this.#seen(middle, -1)
      if (block === null || place === null || isSo(block, place)) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The index of the nearest block with a place that is as asked. */
  #nearest(index: number, step: 1 | -1, isSo: (place: Element) => boolean): number {
    const { blocks } = this.#view
    for (let at = index; at >= 0 && at < blocks.length; at += step) {
      const place = placeOf(blocks[at])
      if (place !== null && isSo(place)) return at
    }
    return step === 1 ? blocks.length : -1
  }

  /** The nearest block with a place, from an index on or, with -1, back. */
  #seen(index: number, step: 1 | -1): [ShownBlock, Element] | [null, null] {
    const block = this.#view.blocks[this.#nearest(index, step, () => true)]
    const place = placeOf(block)
    return block === undefined || place === null ? [null, null] : [block, place]
  }

  // From the upper edge of what is scrolled; its padding does not count.
  #topOf(place: Element): number {
    const { top } = this.#pane.getBoundingClientRect()
    const padding = Number.parseFloat(getComputedStyle(this.#pane).paddingBlockStart) || 0
    return (
      place.getBoundingClientRect().top -
      top -
      this.#pane.clientTop +
      this.#pane.scrollTop -
      padding
    )
  }
}

/** The first element of a block, or the part around it while that is not laid out. */
function placeOf(block: ShownBlock | undefined): Element | null {
  const element = block?.nodes?.find((node) => node instanceof Element) ?? null
  const part = partOf(element)
  return part === null || element?.checkVisibility({ contentVisibilityAuto: true }) ? element : part
}

function shareOf(value: number, from: number, to: number): number {
  return to > from ? Math.min(Math.max((value - from) / (to - from), 0), 1) : 0
}

import type { BlockView } from './block-view.ts'

/** The first element of a block, and the line of the text at which the block begins. */
interface Place {
  readonly line: number
  readonly element: Element
}

/** The lines of a block and its scroll positions in the preview, in CSS pixels. */
interface Span {
  readonly from: number
  readonly to: number
  readonly top: number
  readonly bottom: number
}

/** Returns the block that contains a line. */
export function blockAtLine(line: number, view: BlockView, pane: HTMLElement): Span {
  return spanAt(view, pane, (place) => place.line <= line)
}

/** Returns the scroll position of a preview at which a line is at the upper edge of the pane. */
export function topOfLine(line: number, { from, to, top, bottom }: Span): number {
  return top + (bottom - top) * shareOf(line, from, to)
}

/** Returns the line, with a fraction, at the upper edge of the pane for a scroll position. */
export function lineAtTop(scrollTop: number, view: BlockView, pane: HTMLElement): number {
  const isAbove = ({ element }: Place): boolean => topOf(element, pane) <= scrollTop
  const { from, to, top, bottom } = spanAt(view, pane, isAbove)
  return from + (to - from) * shareOf(scrollTop, top, bottom)
}

/** Finds a span by binary search. `isBefore` must be true up to a block, and false after it. */
function spanAt(view: BlockView, pane: HTMLElement, isBefore: (place: Place) => boolean): Span {
  const places = placesOf(view)
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    const place = places[middle]
    if (place !== undefined && isBefore(place)) low = middle + 1
    else high = middle
  }
  const [block, next] = [places[low - 1], places[low]]
  const top = block === undefined ? 0 : topOf(block.element, pane)
  const height = block?.element.getBoundingClientRect().height ?? 0
  const from = block?.line ?? 0
  return {
    from,
    // Excludes the blank line that usually separates a block from the next one.
    to: next === undefined ? view.lines + 1 : Math.max(from + 1, next.line - 1),
    top,
    bottom: next === undefined ? top + height : topOf(next.element, pane),
  }
}

function placesOf(view: BlockView): Place[] {
  return view.blocks.flatMap(({ line, nodes }) => {
    const element = nodes?.find((node) => node instanceof Element)
    return element === undefined ? [] : { line, element }
  })
}

// Returns the distance of an element from the top of the pane's content, without the padding.
function topOf(element: Element, pane: HTMLElement): number {
  const { top } = pane.getBoundingClientRect()
  const padding = Number.parseFloat(getComputedStyle(pane).paddingBlockStart) || 0
  return element.getBoundingClientRect().top - top - pane.clientTop + pane.scrollTop - padding
}

function shareOf(value: number, from: number, to: number): number {
  return to > from ? Math.min(Math.max((value - from) / (to - from), 0), 1) : 0
}

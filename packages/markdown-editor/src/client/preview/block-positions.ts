import type { BlockView, ShownBlock } from './block-view.ts'

/** Where lines of the text are in a preview, and the other way round: between the beginnings of blocks it is a guess. */
export class BlockPositions {
  readonly #view: BlockView
  readonly #pane: HTMLElement

  constructor(view: BlockView, pane: HTMLElement) {
    this.#view = view
    this.#pane = pane
  }

  /** How far the pane must be scrolled to have a line, with its fraction, at its upper edge, in CSS pixels. */
  topOf(line: number): number {
    const index = this.#last((block) => block.line <= line)
    const { from, to, top, bottom } = this.#spanOf(index)
    const share = to > from ? Math.min(Math.max((line - from) / (to - from), 0), 1) : 0
    return top + (bottom - top) * share
  }

  /** The line at the upper edge, with a fraction, when the pane is scrolled so far. */
  lineAt(scrollTop: number): number {
    const index = this.#last((_block, element) => this.#topOf(element) <= scrollTop)
    const { from, to, top, bottom } = this.#spanOf(index)
    const share = bottom > top ? Math.min(Math.max((scrollTop - top) / (bottom - top), 0), 1) : 0
    return from + (to - from) * share
  }

  // From where a block begins to where the next one that can be seen does.
  #spanOf(index: number): { from: number; to: number; top: number; bottom: number } {
    const [block, element] = this.#seen(index, -1)
    const [after, next] = this.#seen(index + 1, 1)
    const top = element === null ? 0 : this.#topOf(element)
    const end = element === null ? this.#pane.scrollHeight : top + element.getBoundingClientRect().height
    return {
      from: block?.line ?? 0,
      to: after?.line ?? this.#view.lines + 1,
      top,
      bottom: next === null ? end : this.#topOf(next),
    }
  }

  /** The last block that can be seen and is as asked; those that are come first. -1 when there is none. */
  #last(isSo: (block: ShownBlock, element: Element) => boolean): number {
    let low = 0
    let high = this.#view.blocks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const [block, element] = this.#seen(middle, -1)
      if (block === null || element === null || isSo(block, element)) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The nearest block with an element, from an index on or, with -1, back. */
  #seen(index: number, step: 1 | -1): [ShownBlock, Element] | [null, null] {
    for (let at = index; ; at += step) {
      const block = this.#view.blocks[at]
      if (block === undefined) return [null, null]
      const element = block.nodes?.find((node) => node instanceof Element)
      if (element !== undefined) return [block, element]
    }
  }

  // From the upper edge of what is scrolled; its padding does not count.
  #topOf(element: Element): number {
    const { top } = this.#pane.getBoundingClientRect()
    const padding = Number.parseFloat(getComputedStyle(this.#pane).paddingBlockStart) || 0
    return element.getBoundingClientRect().top - top - this.#pane.clientTop + this.#pane.scrollTop - padding
  }
}

import { lineEnd, lineStart } from '../commands/selection.ts'
import { hasFocus } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { BlockView } from './block-view.ts'

// The maximum number of repeated reads of positions in the preview, which change during layout.
const REFINEMENTS = 3

// The margin around a block that is scrolled into view, and the padding of the pane, in CSS pixels.
const MARGIN = 12

// The uncertainty of the caret's estimated position in a block, in CSS pixels: about two rows.
const UNCERTAINTY = 48

/** The scroll positions of a block in the preview, and of a place in it, in CSS pixels. */
interface Place {
  readonly top: number
  readonly bottom: number
  readonly at: number
}

/** Scrolls the preview to the lines in use, unless the preview has the focus. */
export class ScrollSync {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #view: BlockView
  #refinements = 0
  #frame = 0

  constructor(context: EditorContext, pane: HTMLElement, view: BlockView) {
    this.#context = context
    this.#pane = pane
    this.#view = view
    const { host, signal } = context
    const onScroll = ({ target }: Event): void => {
      if (target !== this.#scroller) return
      this.#refinements = 0
      this.#schedule()
    }
    host.addEventListener('scroll', onScroll, { capture: true, passive: true, signal })
    const observer = new ResizeObserver(() => this.#schedule())
    observer.observe(pane)
    signal.addEventListener('abort', () => observer.disconnect())
  }

  /** Scrolls after the preview has changed. */
  update(): void {
    if (!this.#isOn) return
    const pane = this.#pane
    if (!this.#context.surface.focused) this.#schedule()
    else pane.scrollTo({ top: this.#withCaret(pane.scrollTop), behavior: 'instant' })
  }

  get #isOn(): boolean {
    const isSplit = this.#context.host.dataset['mode'] === 'split'
    return isSplit && !hasFocus(this.#pane)
  }

  get #scroller(): HTMLElement {
    const { element } = this.#context.surface
    return element.querySelector<HTMLElement>('.cm-scroller') ?? element
  }

  #schedule(): void {
    if (!this.#isOn) return
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      if (this.#isOn && !this.#context.signal.aborted) this.#align()
    })
  }

  #align(): void {
    const scroller = this.#scroller
    const pane = this.#pane
    const { left, right, top: upper, bottom } = scroller.getBoundingClientRect()
    const first = this.#offsetAt(left + 2 * MARGIN, upper + 2 * MARGIN)
    const last = this.#offsetAt(right - 2 * MARGIN, bottom - MARGIN)
    const caret = this.#context.surface.read().selectionEnd
    const aligned = nearEnd(scroller, pane, this.#placeOf(first).at)
    const top = first <= caret && caret <= last ? this.#withCaret(aligned) : aligned
    if (Math.abs(top - pane.scrollTop) < 1) return
    pane.scrollTo({ top, behavior: 'instant' })
    if (this.#refinements++ < REFINEMENTS) this.#schedule()
  }

  #offsetAt(x: number, y: number): number {
    const { surface } = this.#context
    const { scrollHeight, scrollTop } = this.#scroller
    const below = scrollTop + y - this.#scroller.getBoundingClientRect().top
    const estimate = Math.round((surface.read().text.length * below) / scrollHeight)
    return surface.offsetAt(x, y) ?? estimate
  }

  /**
   * Returns the scroll position nearest to `from` that shows the block with the caret. In a block
   * larger than the pane, it shows the caret's line.
   */
  #withCaret(from: number): number {
    const pane = this.#pane
    let { top, bottom, at } = this.#placeOf(this.#context.surface.read().selectionEnd)
    if (bottom - top > pane.clientHeight - 2 * MARGIN) {
      top = Math.max(top, at - UNCERTAINTY)
      bottom = Math.min(bottom, at + UNCERTAINTY)
    }
    const above = top - from
    const below = bottom + 2 * MARGIN - pane.clientHeight - from
    if (above < 0 === below > 0) return from
    return from + (above < 0 ? above : Math.min(above, below))
  }

  #placeOf(offset: number): Place {
    const { text } = this.#context.surface.read()
    const wanted = lineAt(text, offset)
    const blocks = this.#view.blocks.flatMap(({ line, nodes }) => {
      const element = nodes?.find((node) => node instanceof Element)
      return element === undefined ? [] : { line, element }
    })
    const index = blocks.findLastIndex(({ line }) => line <= wanted)
    const [block, next] = [blocks[index], blocks[index + 1]]
    const start = block?.line ?? 0
    // Excludes the blank line that usually separates a block from the next one.
    const last = next === undefined ? lineAt(text, text.length) : next.line - 1
    const end = Math.max(start + 1, last)
    const top = block === undefined ? 0 : this.#topOf(block.element)
    const height = block?.element.getBoundingClientRect().height ?? 0
    const bottom = next === undefined ? top + height : this.#topOf(next.element)
    const share = Math.min((wanted - start) / (end - start), 1)
    return { top, bottom, at: top + (bottom - top) * share }
  }

  /** Returns the distance of an element from the top of the pane's content, without the padding. */
  #topOf(element: Element): number {
    const pane = this.#pane
    const { top } = pane.getBoundingClientRect()
    const padding = Number.parseFloat(getComputedStyle(pane).paddingBlockStart) || 0
    return element.getBoundingClientRect().top - top - pane.clientTop + pane.scrollTop - padding
  }
}

/** Returns the line of an offset, with the share of the line before the offset as a fraction. */
function lineAt(text: string, offset: number): number {
  const start = lineStart(text, offset)
  const length = lineEnd(text, offset) - start
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < start; at = text.indexOf('\n', at + 1))
    lines++
  return lines + (offset - start) / Math.max(length, 1)
}

/** Adjusts the scroll position of the follower, so that both elements reach their end together. */
function nearEnd(leader: Element, follower: Element, top: number): number {
  const rest = leader.scrollHeight - leader.clientHeight
  const page = Math.min(leader.clientHeight, rest)
  const share = page > 0 ? Math.min(Math.max(1 - (rest - leader.scrollTop) / page, 0), 1) : 0
  return top + (follower.scrollHeight - follower.clientHeight - top) * share
}

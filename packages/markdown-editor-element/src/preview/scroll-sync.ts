import type { TextState } from '../commands/edit.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { Lines } from '../editor/surface.ts'
import { countLines, TextareaLines } from '../surface/textarea-geometry.ts'
import { blockAtLine, lineAtTop, topOfLine } from './block-positions.ts'
import type { BlockView } from './block-view.ts'

// Events that show which pane the user scrolls. Scripts can cause `scroll` events, too.
const USER_EVENTS = ['wheel', 'pointerdown', 'touchstart', 'focusin']

// The maximum number of repeated reads of positions in the preview, which change during layout.
const REFINEMENTS = 3

// The margin around a block that is scrolled into view, and the padding of the pane, in CSS pixels.
const MARGIN = 12

// The uncertainty of the caret's estimated position in a block, in CSS pixels: about two rows.
const UNCERTAINTY = 48

/**
 * Synchronizes the scroll positions of the text and the preview by lines. The pane that the user
 * used last scrolls the other one. A preview that has the focus is not scrolled.
 */
export class ScrollSync {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #view: BlockView
  #paneLeads = false
  #refinements = 0
  #frame = 0

  constructor(context: EditorContext, pane: HTMLElement, view: BlockView) {
    this.#context = context
    this.#pane = pane
    this.#view = view
    const { host, signal } = context
    const options = { capture: true, passive: true, signal }
    for (const type of USER_EVENTS)
      host.addEventListener(type, ({ target }) => this.#lead(target as Node), options)
    context.events.key.add(({ target }) => this.#lead(target as Node))
    host.addEventListener('scroll', ({ target }) => this.#onScroll(target as Node), options)
    const observer = new ResizeObserver(() => this.#schedule())
    observer.observe(pane)
    signal.addEventListener('abort', () => observer.disconnect())
  }

  /**
   * Scrolls the preview after a change. If the text has the focus, scrolls to the block with the
   * caret, otherwise to the first visible line.
   */
  follow(): void {
    if (!this.#isOn || this.#isRead || this.#paneLeads) return
    if (this.#context.surface.focused) this.#showCaret()
    else this.#schedule()
  }

  get #isOn(): boolean {
    return this.#context.host.dataset['mode'] === 'split'
  }

  get #isRead(): boolean {
    return this.#pane.contains(document.activeElement)
  }

  get #scroller(): HTMLElement {
    const { element } = this.#context.surface
    return element.querySelector<HTMLElement>('.cm-scroller') ?? element
  }

  get #lines(): Lines {
    const { surface, textarea } = this.#context
    return surface.lines ?? new TextareaLines(textarea)
  }

  #lead(target: Node): void {
    if (this.#pane.contains(target)) this.#paneLeads = true
    else if (this.#context.surface.element.contains(target)) this.#paneLeads = false
  }

  #onScroll(target: Node): void {
    const isPane = target === this.#pane
    if (isPane ? !this.#paneLeads : this.#paneLeads || target !== this.#scroller) return
    this.#refinements = 0
    this.#schedule()
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
    if (this.#paneLeads) {
      this.#lines.scrollToLine(lineAtTop(pane.scrollTop, this.#view, pane))
      scroller.scrollTop = nearEnd(pane, scroller, scroller.scrollTop)
    } else if (!this.#isRead) {
      const { topLine } = this.#lines
      const wanted = topOfLine(topLine, blockAtLine(topLine, this.#view, pane))
      const top = nearEnd(scroller, pane, wanted)
      if (Math.abs(top - pane.scrollTop) < 1) return
      pane.scrollTo({ top, behavior: 'instant' })
      if (this.#refinements++ < REFINEMENTS) this.#schedule()
    }
  }

  /** Shows the block with the caret. In a block larger than the pane, shows the caret's line. */
  #showCaret(): void {
    const pane = this.#pane
    const line = lineOfCaret(this.#context.surface.read())
    const block = blockAtLine(line, this.#view, pane)
    let { top, bottom } = block
    if (bottom - top > pane.clientHeight - 2 * MARGIN) {
      const caret = topOfLine(line, block)
      top = Math.max(top, caret - UNCERTAINTY)
      bottom = Math.min(bottom, caret + UNCERTAINTY)
    }
    const above = top - pane.scrollTop
    const below = bottom + 2 * MARGIN - pane.clientHeight - pane.scrollTop
    if (above < 0 === below > 0) return
    pane.scrollBy({ top: above < 0 ? above : Math.min(above, below), behavior: 'instant' })
  }
}

/** Returns the line of the caret, with the share of the line before the caret as a fraction. */
function lineOfCaret({ text, selectionEnd }: TextState): number {
  const start = text.lastIndexOf('\n', selectionEnd - 1) + 1
  const next = text.indexOf('\n', selectionEnd)
  const length = (next === -1 ? text.length : next) - start
  return countLines(text, start) + (selectionEnd - start) / Math.max(length, 1)
}

/** Adjusts the scroll position of the follower, so that both elements reach their end together. */
function nearEnd(leader: Element, follower: Element, top: number): number {
  const rest = leader.scrollHeight - leader.clientHeight
  const page = Math.min(leader.clientHeight, rest)
  const share = page > 0 ? Math.min(Math.max(1 - (rest - leader.scrollTop) / page, 0), 1) : 0
  return top + (follower.scrollHeight - follower.clientHeight - top) * share
}

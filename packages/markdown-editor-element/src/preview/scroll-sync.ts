import type { EditorContext } from '../editor/editor-context.ts'
import type { Lines } from '../surface/surface.ts'
import { TextareaLines } from '../surface/textarea-lines.ts'
import { BlockPositions } from './block-positions.ts'
import type { BlockView } from './block-view.ts'
import { placeOfBlock, placeOfCaret } from './caret-place.ts'

// Events of the user before a pane scrolls. A scroll event alone may come from the synchronization.
const DEEDS = ['wheel', 'pointerdown', 'touchstart', 'focusin']

// So often the preview is asked again where its lines are.
const REFINEMENTS = 3

// The margin around an element that is scrolled into view, in CSS pixels.
const MARGIN = 12

/**
 * Scrolls text and preview together by lines. The one that the user touched last leads. A preview
 * that has the focus is not scrolled.
 */
export class ScrollSync {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #view: BlockView
  readonly #positions: BlockPositions
  #isOn = false
  #isNew = false
  #paneLeads = false
  #refinements = 0
  #frame = 0
  #watch: IntersectionObserver | null = null

  constructor(context: EditorContext, pane: HTMLElement, view: BlockView) {
    this.#context = context
    this.#pane = pane
    this.#view = view
    this.#positions = new BlockPositions(view, pane)
    const { host, signal } = context
    const options = { capture: true, passive: true, signal }
    for (const deed of DEEDS)
      host.addEventListener(deed, ({ target }) => this.#lead(target as Node), options)
    context.onKey(({ target }) => this.#lead(target as Node))
    host.addEventListener('scroll', ({ target }) => this.#onScroll(target as Node), options)
    const observer = new ResizeObserver(() => this.#schedule())
    observer.observe(pane)
    signal.addEventListener('abort', () => observer.disconnect())
  }

  /** Begins or ends. */
  toggle(on: boolean): void {
    this.#isNew = on && !this.#isOn
    this.#isOn = on
  }

  /** Brings what someone has just written into sight. */
  follow(written: Element | null): void {
    if (!this.#isOn || this.#isRead) return
    if (this.#isNew) this.#schedule()
    else if (written !== null && !this.#paneLeads && this.#context.surface.focused)
      this.#reveal(written)
    this.#isNew = false
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

  // Long previews are laid out when they become visible. Only then are their positions known.
  #refine(): void {
    if (this.#refinements++ < REFINEMENTS) this.#schedule()
  }

  #align(): void {
    const scroller = this.#scroller
    const pane = this.#pane
    if (this.#paneLeads) {
      this.#lines.scrollToLine(this.#positions.lineAt(pane.scrollTop))
      scroller.scrollTop = nearEnd(pane, scroller, scroller.scrollTop)
    } else if (!this.#isRead) {
      const top = nearEnd(scroller, pane, this.#positions.topOf(this.#lines.topLine))
      if (Math.abs(top - pane.scrollTop) < 1) return
      pane.scrollTo({ top, behavior: 'instant' })
      this.#refine()
    }
  }

  // Asks where it is only when it is not in sight: that would cost a layout with each key.
  #reveal(element: Element): void {
    this.#watch?.disconnect()
    this.#watch = new IntersectionObserver(
      ([entry], watch) => {
        watch.disconnect()
        if (entry !== undefined && entry.intersectionRatio < 1 && this.#isOn) this.#bring(element)
      },
      { root: this.#pane },
    )
    this.#watch.observe(element)
  }

  #bring(element: Element): void {
    const pane = this.#pane.getBoundingClientRect()
    const { block, ...box } = placeOfBlock(this.#view, element)
    const isLarger = block !== null && box.bottom - box.top > pane.height - 2 * MARGIN
    // The whole text is read only when the block alone does not tell where to go.
    const place = isLarger
      ? placeOfCaret(this.#view, block, box, this.#context.surface.read())
      : box
    if (place === null) return
    const above = place.top - pane.top - MARGIN
    const below = place.bottom - pane.bottom + MARGIN
    if (above < 0 === below > 0) return
    this.#pane.scrollBy({ top: above < 0 ? above : Math.min(above, below), behavior: 'instant' })
  }
}

/** Where the follower goes: the last page leads it to its own end, however long each of them is. */
function nearEnd(leader: Element, follower: Element, top: number): number {
  const rest = leader.scrollHeight - leader.clientHeight
  const page = Math.min(leader.clientHeight, rest)
  const share = page > 0 ? Math.min(Math.max(1 - (rest - leader.scrollTop) / page, 0), 1) : 0
  return top + (follower.scrollHeight - follower.clientHeight - top) * share
}

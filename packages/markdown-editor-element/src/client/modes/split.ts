import { PART } from '../dom/elements.ts'
import type { EditorContext } from '../editor-context.ts'
import type { BlockView } from '../preview/block-view.ts'
import { laterStrings } from '../strings/later.ts'
import { Divider } from './divider.ts'
import { ScrollSync } from './scroll-sync.ts'

/** What text and preview have together when they are side by side. */
export class Split {
  readonly #sync: ScrollSync

  constructor(context: EditorContext, pane: HTMLElement, view: BlockView) {
    const { element } = new Divider(context, laterStrings(context.strings).divider)
    element.setAttribute(PART, '')
    pane.before(element)
    context.signal.addEventListener('abort', () => element.remove())
    this.#sync = new ScrollSync(context, pane, view)
  }

  /** Begins or ends. */
  toggle(on: boolean): void {
    this.#sync.toggle(on)
  }

  /** Brings what someone has just written into sight. */
  follow(written: Element | null): void {
    this.#sync.follow(written)
  }
}

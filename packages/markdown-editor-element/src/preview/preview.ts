import { createElement } from '../dom/elements.ts'
import { trustHtml } from '../dom/trusted-types.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { laterStrings } from '../i18n/later.ts'
import { BlockView } from './block-view.ts'
import { showHint } from './failure.ts'
import { followInside, openElsewhere } from './links.ts'
import { PreviewDocument } from './preview-document.ts'
import { previewScript } from './preview-script.ts'
import type { TextFeed } from './text-feed.ts'

// The default `maxLength` of a renderer.
const MAX_LENGTH = 256 * 1024

/** Shows a text as the page will show it. */
export class Preview {
  readonly view: BlockView
  readonly #pane: HTMLElement
  readonly #context: EditorContext
  readonly #document: PreviewDocument
  readonly #scrollers: Scrollers

  constructor(context: EditorContext, pane: HTMLElement, feed: TextFeed) {
    const { host, signal, strings } = context
    this.#pane = pane
    this.#context = context
    const script = previewScript(host.getAttribute('preview-worker'), strings)
    const settings = readSettings(host)
    this.#document = new PreviewDocument(script, settings, feed, strings)
    const scrollers = new Scrollers(signal)
    this.#scrollers = scrollers
    const { maxLength = MAX_LENGTH } = settings
    const { previewTooLong, previewDiffers } = laterStrings(strings)
    if (host.hasAttribute('preview-differs')) pane.dataset['note'] = previewDiffers
    const toNodes = (html: string): readonly ChildNode[] =>
      html.length > maxLength && isEscaped(html)
        ? [createElement('p', { class: 'md-editor-hint', role: 'note' }, previewTooLong)]
        : parse(html, scrollers)
    this.view = new BlockView(pane, toNodes, signal)
    followInside(pane, signal)
    signal.addEventListener('abort', () => this.#document.close())
  }

  /** Shows what is new, after `whenToShow`. Returns the first new element and the time spent. */
  async update(
    whenToShow: () => Promise<void>,
  ): Promise<{ readonly shown: Element | null; readonly cost: number }> {
    const rendered = await this.#document.render()
    await whenToShow()
    const start = performance.now()
    const shown = await this.view.show(rendered)
    const cost = performance.now() - start
    if (shown !== null) this.#scrollers.watch(shown)
    if (this.view.isEmpty) showHint(this.#pane, this.#context.strings.nothingToPreview)
    return { shown, cost }
  }
}

function parse(html: string, scrollers: Scrollers): readonly ChildNode[] {
  const parsed = document.createElement('div')
  parsed.innerHTML = trustHtml(html) // The renderer's output is safe.
  openElsewhere(parsed)
  scrollers.watch(parsed)
  return [...parsed.childNodes]
}

/** Whether a renderer only escaped a text, as it does with one that is too long. */
function isEscaped(html: string): boolean {
  return !/<(?!br>)/.test(html)
}

const SCROLLERS = 'pre, table'

/** Lets the Tab key reach code and tables that are wider than their place, and no others. */
class Scrollers {
  readonly #observer = new ResizeObserver((entries) => {
    for (const { target } of entries) reach(target as HTMLElement)
  })

  /** @param signal ends it */
  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#observer.disconnect())
  }

  /** Looks at those in an element when it has been laid out, and whenever their place changes. */
  watch(element: Element): void {
    const all = [...element.querySelectorAll(SCROLLERS)]
    for (const scroller of element.matches(SCROLLERS) ? [element, ...all] : all) {
      this.#observer.unobserve(scroller)
      this.#observer.observe(scroller)
    }
  }
}

function reach(scroller: HTMLElement): void {
  const isWide = scroller.scrollWidth > scroller.clientWidth
  if (isWide) scroller.tabIndex = 0
  else scroller.removeAttribute('tabindex')
}

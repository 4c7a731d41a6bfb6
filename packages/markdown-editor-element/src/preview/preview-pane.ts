import type { Mode } from '../contract/attributes.ts'
import { createElement } from '../dom/elements.ts'
import { trustHtml } from '../dom/trusted-types.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { BlockView } from './block-view.ts'
import { showFailure, showHint } from './failure.ts'
import { PreviewClient } from './preview-client.ts'
import { ScrollSync } from './scroll-sync.ts'

// The default `maxLength` of a renderer.
const MAX_LENGTH = 256 * 1024

/** Keeps the preview of an editor up to date while it is visible. Loaded on first use. */
export class PreviewPane {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #client: PreviewClient
  readonly #view: BlockView
  readonly #sync: ScrollSync
  #mode: Mode = 'write'
  /** True if the text must be rendered, because it has changed or because an attempt failed. */
  #isStale = true
  #isRunning = false
  /** Resolves when the user pauses; null while the user does not type. */
  #typing: PromiseWithResolvers<void> | null = null
  /** Makes code and tables focusable while they are too wide, so that keys can scroll them. */
  readonly #scrollers = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
      else target.removeAttribute('tabindex')
    }
  })

  constructor(context: EditorContext, pane: HTMLElement) {
    const { host, signal, strings } = context
    this.#context = context
    this.#pane = pane
    this.#client = new PreviewClient(context)
    const { maxLength = MAX_LENGTH } = this.#client.settings
    const { previewTooLong, previewDiffers } = lazyStrings(strings)
    if (host.hasAttribute('preview-differs')) pane.dataset['note'] = previewDiffers
    // If a text is too long, the renderer only escapes the text. The pane shows a note instead.
    const parse = (html: string): readonly ChildNode[] =>
      html.length > maxLength && !/<(?!br>)/.test(html)
        ? [createElement('p', { class: 'md-editor-hint', role: 'note' }, previewTooLong)]
        : this.#parse(html)
    this.#view = new BlockView(pane, parse, signal)
    this.#sync = new ScrollSync(context, pane, this.#view)
    pane.addEventListener('click', (event) => followInside(event, pane), { signal })
    signal.addEventListener('abort', () => this.#scrollers.disconnect())
    context.events.change.add(() => {
      this.#isStale = true
      this.#typing ??= Promise.withResolvers()
      void this.#renderIfStale()
    })
    context.events.pause.add(() => {
      this.#typing?.resolve()
      this.#typing = null
    })
  }

  show(mode: Mode): void {
    this.#mode = mode
    if (mode !== 'split') this.#typing?.resolve()
    void this.#renderIfStale()
  }

  async #renderIfStale(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#mode !== 'write' && this.#isStale) await this.#update()
    } catch (error) {
      this.#isStale = true
      if (!this.#context.signal.aborted) this.#fail(error)
    } finally {
      this.#isRunning = false
    }
  }

  #fail(error: unknown): void {
    const { strings } = this.#context
    showFailure(this.#pane, error, strings, () => {
      showHint(this.#pane, strings.loadingPreview)
      void this.#renderIfStale()
    })
  }

  async #update(): Promise<void> {
    if (this.#mode === 'split') await this.#typing?.promise
    try {
      this.#isStale = false
      await this.#view.show(await this.#client.render())
      const { strings } = this.#context
      if (!this.#pane.hasChildNodes()) showHint(this.#pane, strings.nothingToPreview)
      this.#sync.update()
    } catch (error) {
      this.#client.end(error)
      this.#view.forget()
      // Ignores the error if the text has changed, because rendering the new text may succeed.
      if (!this.#isStale || this.#context.signal.aborted) throw error
    }
  }

  #parse(html: string): readonly ChildNode[] {
    const parsed = document.createElement('div')
    parsed.innerHTML = trustHtml(html) // The renderer's output is safe.
    openElsewhere(parsed)
    for (const scroller of parsed.querySelectorAll('pre, table')) this.#scrollers.observe(scroller)
    return [...parsed.childNodes]
  }
}

/** Makes links to other pages open in a new tab, so that the user does not lose the text. */
function openElsewhere(root: ParentNode): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]:not([href^="#"])')) {
    link.target = '_blank'
    link.relList.add('noopener')
  }
}

/** Scrolls to a link's target by script, because another preview may have the same ids. */
function followInside(event: MouseEvent, pane: HTMLElement): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]')
  if (link === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey)
    return
  event.preventDefault() // Keeps the page's address and history.
  const target = [...pane.querySelectorAll<HTMLElement>('[id]')].find(
    // Compares URL fragments, because URLs encode some characters.
    ({ id }) => new URL(`#${id}`, link.href).hash === link.hash,
  )
  if (target === undefined) return
  target.scrollIntoView()
  // Focuses the target, so that the next Tab continues from it as after a native jump.
  target.tabIndex = -1
  target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
  target.focus({ preventScroll: true })
}

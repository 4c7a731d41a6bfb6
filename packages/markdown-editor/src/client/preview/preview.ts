import { BlockView } from './block-view.ts'
import { followInside, openElsewhere } from './links.ts'
import { PreviewDocument } from './preview-document.ts'
import { previewScript } from './preview-script.ts'
import { readSettings } from './read-settings.ts'
import type { PreviewTools } from './tools.ts'

/** Shows an editor's text as the page will show it. This module is loaded when a preview is first asked for. */
export class Preview {
  readonly #pane: HTMLElement
  readonly #strings: PreviewTools['strings']
  readonly #document: PreviewDocument
  readonly #view: BlockView
  readonly #life = new AbortController()
  #newest: string | null = null
  #running: Promise<void> | null = null

  /**
   * @param host the element with the attributes; they are read once
   * @param pane where it is shown
   * @param tools what the page's first script has
   */
  constructor(host: HTMLElement, pane: HTMLElement, tools: PreviewTools) {
    const { trustHtml, splitWords, strings } = tools
    this.#pane = pane
    this.#strings = strings
    const script = previewScript(host.getAttribute('preview-worker'), tools)
    this.#document = new PreviewDocument(script, readSettings(host, splitWords), strings)
    const parse = (html: string): readonly ChildNode[] => {
      const parsed = document.createElement('div')
      parsed.innerHTML = trustHtml(html) // The renderer's output is safe.
      openElsewhere(parsed)
      return [...parsed.childNodes]
    }
    this.#view = new BlockView(pane, parse, this.#life.signal)
    followInside(pane, this.#life.signal)
  }

  /**
   * Renders a text, once the one that is being rendered is done; of those that come meanwhile only the newest counts.
   *
   * @returns when the newest is shown
   * @throws Error with a message for the user
   */
  update(text: string): Promise<void> {
    this.#newest = text
    this.#running ??= this.#run()
    return this.#running
  }

  /** Ends it. What is under way is never shown. */
  end(): void {
    this.#life.abort()
    this.#document.close()
  }

  async #run(): Promise<void> {
    try {
      while (this.#newest !== null) {
        const text = this.#newest
        this.#newest = null
        await this.#show(text)
      }
    } finally {
      this.#running = null
    }
  }

  async #show(text: string): Promise<void> {
    try {
      const rendered = await this.#document.render(text)
      if (!(await this.#view.show(rendered))) this.#showNothing()
    } catch (error) {
      if (this.#newest === null) throw error
    }
  }

  #showNothing(): void {
    const hint = document.createElement('p')
    hint.className = 'md-editor-hint'
    hint.textContent = this.#strings.nothingToPreview
    this.#pane.replaceChildren(hint)
  }
}

import { createButton, createElement } from '../dom/elements.ts'
import { trustHtml, trustScriptUrl } from '../dom/trusted-types.ts'
import { splitWords } from '../dom/words.ts'
import { loadPart } from '../load-part.ts'
import type { EditorStrings } from '../strings/strings.ts'
import type { Preview } from './preview.ts'

/** Where an editor shows its text as the page will show it. */
export class PreviewPane {
  readonly element: HTMLDivElement
  readonly #host: HTMLElement
  readonly #strings: EditorStrings
  #preview: Promise<Preview> | null = null
  #isEmpty = true
  #latest = 0

  /**
   * @param id the id of the pane
   * @param host the element with the attributes
   */
  constructor(id: string, host: HTMLElement, strings: EditorStrings) {
    this.#host = host
    this.#strings = strings
    this.element = createElement('div', {
      id,
      class: 'md-editor-preview md-content',
      role: 'tabpanel',
      tabindex: '0',
      'aria-labelledby': `${id}-tab-preview`,
      hidden: true,
    })
  }

  /** Shows a text. When it cannot, says why and offers to try again. */
  async show(markdown: string): Promise<void> {
    const turn = ++this.#latest
    if (this.#isEmpty) {
      this.#isEmpty = false
      this.element.replaceChildren(createElement('p', { class: 'md-editor-hint' }, this.#strings.loadingPreview))
    }
    try {
      this.#preview ??= this.#load()
      const preview = await this.#preview
      if (turn !== this.#latest) return
      await preview.update(markdown)
    } catch (error) {
      if (turn === this.#latest) this.#fail(error, markdown)
    }
  }

  /** Ends it: nothing is shown any more. */
  end(): void {
    this.#latest++
    this.#preview?.then(
      (preview) => preview.end(),
      () => {},
    )
  }

  async #load(): Promise<Preview> {
    try {
      const part = await loadPart(() => import('./preview.ts'), this.#strings)
      return new part.Preview(this.#host, this.element, {
        trustHtml,
        trustScriptUrl,
        splitWords,
        strings: this.#strings,
      })
    } catch (error) {
      this.#preview = null
      throw error
    }
  }

  #fail(error: unknown, markdown: string): void {
    const reason = error instanceof Error ? error.message : String(error)
    const retry = createButton(this.#strings.retry, 'md-editor-action', () => void this.show(markdown))
    const message = createElement('p', { role: 'alert' }, `${this.#strings.previewFailed(reason)} `, retry)
    this.#isEmpty = true
    this.element.replaceChildren(message)
  }
}

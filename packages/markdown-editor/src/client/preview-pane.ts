import { createButton, createElement } from './dom.ts'
import { STRINGS } from './strings.ts'
import { trustHtml } from './trusted-html.ts'

type Render = (markdown: string) => string

/** Shows a text as the page will show it. */
export class PreviewPane {
  readonly element: HTMLDivElement
  readonly #load: () => Promise<Render>
  #render: Render | null = null
  #latest = 0

  /**
   * @param id the id of the pane
   * @param load gets the renderer, on first use
   */
  constructor(id: string, load: () => Promise<Render>) {
    this.#load = load
    this.element = createElement('div', {
      id,
      class: 'md-editor-preview',
      role: 'tabpanel',
      tabindex: '0',
      'aria-labelledby': `${id}-tab-preview`,
      hidden: true,
    })
  }

  /** Renders a text. When it cannot, says why and offers to try again. */
  async show(markdown: string): Promise<void> {
    const turn = ++this.#latest
    try {
      if (this.#render === null) {
        this.element.replaceChildren(createElement('p', { class: 'md-editor-hint' }, STRINGS.loadingPreview))
        this.#render = await this.#load()
      }
      if (turn === this.#latest) this.#fill(this.#render(markdown))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const retry = createButton(STRINGS.retry, 'md-editor-action', () => void this.show(markdown))
      const message = createElement('p', { role: 'alert' }, `${STRINGS.previewFailed(reason)} `, retry)
      if (turn === this.#latest) this.element.replaceChildren(message)
    }
  }

  #fill(html: string): void {
    if (html === '') {
      this.element.replaceChildren(createElement('p', { class: 'md-editor-hint' }, STRINGS.nothingToPreview))
      return
    }
    this.element.innerHTML = trustHtml(html) // The renderer's output is sanitized.
    // A click on a link must not lose the text that is being written.
    for (const link of this.element.querySelectorAll<HTMLAnchorElement>('a[href]:not([href^="#"])')) {
      link.target = '_blank'
      link.relList.add('noopener')
    }
  }
}

import { createElement, PART } from '../dom/elements.ts'

interface FrameContent {
  readonly header: readonly HTMLElement[]
  readonly pane: HTMLElement
  readonly footer: readonly HTMLElement[]
}

/** The elements around the textarea: a header before it, the preview and a footer after it. */
export class Frame {
  readonly #host: HTMLElement
  readonly #parts: readonly HTMLElement[]

  constructor(host: HTMLElement, { header, pane, footer }: FrameContent) {
    const above = createElement('div', { class: 'md-editor-header' }, ...header)
    const below = createElement('div', { class: 'md-editor-footer' }, ...footer)
    this.#host = host
    this.#parts = [above, pane, below]
    for (const part of this.#parts) part.setAttribute(PART, '')
    host.prepend(above)
    host.append(pane, below)
  }

  /** False if the page has removed a part, as morphing does. */
  get isWhole(): boolean {
    return this.#parts.every(({ parentNode }) => parentNode === this.#host)
  }

  remove(): void {
    for (const part of this.#parts) part.remove()
  }
}

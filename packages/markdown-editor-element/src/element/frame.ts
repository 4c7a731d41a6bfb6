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

/**
 * Calls a function when the content of an element changes, because the textarea or parts of the
 * editor may have been replaced, for example by morphing.
 */
export class FieldWatch {
  readonly #host: HTMLElement
  readonly #observer: MutationObserver

  constructor(host: HTMLElement, changed: () => void) {
    this.#host = host
    this.#observer = new MutationObserver(changed)
  }

  /**
   * Starts to watch, and stops an earlier watch.
   *
   * @param textarea the current textarea, or null to wait for one anywhere in the element
   */
  watch(textarea: HTMLTextAreaElement | null): void {
    this.end()
    if (textarea === null) {
      this.#observer.observe(this.#host, { childList: true, subtree: true })
      return
    }
    // Only the ancestors of the textarea are watched, because surfaces and previews change with
    // each key.
    for (
      let node = textarea.parentNode;
      node !== null;
      node = node === this.#host ? null : node.parentNode
    ) {
      this.#observer.observe(node, { childList: true })
    }
  }

  end(): void {
    this.#observer.disconnect()
  }
}

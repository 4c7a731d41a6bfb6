/**
 * Watches whether the content of an element changes, for example by morphing, so that the textarea
 * or parts of the editor are replaced.
 */
export class FieldWatch {
  readonly #host: HTMLElement
  readonly #observer: MutationObserver

  constructor(host: HTMLElement, changed: () => void) {
    this.#host = host
    this.#observer = new MutationObserver(changed)
  }

  /**
   * Starts to watch and stops an earlier watch.
   *
   * @param textarea the current one; null if it may still be added anywhere
   */
  watch(textarea: HTMLTextAreaElement | null): void {
    this.end()
    if (textarea === null) {
      this.#observer.observe(this.#host, { childList: true, subtree: true })
      return
    }
    // Not the whole content, because surfaces and previews change with each key.
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

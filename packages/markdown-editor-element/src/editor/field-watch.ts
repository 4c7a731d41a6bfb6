/** Tells when what an element has inside may have another textarea, or has lost parts, as morphing and swaps leave it. */
export class FieldWatch {
  readonly #host: HTMLElement
  readonly #observer: MutationObserver

  constructor(host: HTMLElement, changed: () => void) {
    this.#host = host
    this.#observer = new MutationObserver(changed)
  }

  /**
   * Watches from now on, in place of what it has watched before.
   *
   * @param textarea the one that is there; null: it may come anywhere, the parser may still be on its way to it
   */
  watch(textarea: HTMLTextAreaElement | null): void {
    this.end()
    if (textarea === null) {
      this.#observer.observe(this.#host, { childList: true, subtree: true })
      return
    }
    // Not all that is inside: surfaces and previews change with each key.
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

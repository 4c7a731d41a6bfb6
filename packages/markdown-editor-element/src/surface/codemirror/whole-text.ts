import type { Text } from '@codemirror/state'
import type { ViewUpdate } from '@codemirror/view'

/**
 * A document as one string, made when it is asked for: of the last one and what is new, since to
 * join all lines takes long.
 */
export class WholeText {
  #doc: Text
  #text: string
  // How much of its start and end the string still has in common with the document.
  #prefix = Number.POSITIVE_INFINITY
  #suffix = Number.POSITIVE_INFINITY

  constructor(doc: Text) {
    this.#doc = doc
    this.#text = doc.toString()
  }

  /** To be called for each change, in their order. */
  note({ changes, state }: ViewUpdate): void {
    changes.iterChangedRanges((_from, _to, start, end) => {
      this.#prefix = Math.min(this.#prefix, start)
      this.#suffix = Math.min(this.#suffix, state.doc.length - end)
    })
  }

  /** The string of the document as it is now. */
  of(doc: Text): string {
    if (doc === this.#doc) return this.#text
    const text = this.#text
    const prefix = Math.min(this.#prefix, text.length, doc.length)
    const suffix = Math.min(this.#suffix, text.length - prefix, doc.length - prefix)
    this.#text =
      text.slice(0, prefix) +
      doc.sliceString(prefix, doc.length - suffix) +
      text.slice(text.length - suffix)
    this.#doc = doc
    this.#prefix = Number.POSITIVE_INFINITY
    this.#suffix = Number.POSITIVE_INFINITY
    return this.#text
  }
}

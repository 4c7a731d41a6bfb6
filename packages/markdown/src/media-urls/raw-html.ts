import { isLetter } from '../grammar/characters.ts'
import { tagEnd } from '../grammar/html-tag.ts'

/**
 * Finds the ends of inline raw HTML (CommonMark, section 6.6). Asked from left to right, it searches the text once for
 * each thing that can end such HTML, however often that is missing.
 */
export class RawHtml {
  readonly #text: string
  readonly #found = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** Position after the tag, comment, instruction, declaration or CDATA section at `from`; -1 when there is none. */
  end(from: number): number {
    const text = this.#text
    switch (text[from + 1]) {
      case '?':
        return this.#after('?>', from + 2)
      case '!':
        // `<!-->` and `<!--->` are comments too.
        if (text.startsWith('--', from + 2))
          return this.#after('-->', from + (text[from + 4] === '>' ? 2 : 3))
        if (text.startsWith('[CDATA[', from + 2)) return this.#after(']]>', from + 9)
        return isLetter(text.charCodeAt(from + 2)) ? this.#after('>', from + 3) : -1
      default:
        return tagEnd(text, from)
    }
  }

  #after(ending: string, from: number): number {
    let found = this.#found.get(ending) ?? 0
    if (found !== -1 && found < from) {
      found = this.#text.indexOf(ending, from)
      this.#found.set(ending, found)
    }
    return found === -1 ? -1 : found + ending.length
  }
}

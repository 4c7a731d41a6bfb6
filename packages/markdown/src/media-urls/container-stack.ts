import type { LineCursor } from './line-cursor.ts'

const quote = 0
const greater = 0x3e
const footnoteIndent = 4

/** The open block quotes, list items and footnotes, and how many of them go on in the current line. */
export class ContainerStack {
  /** `quote`, or the columns by which the content of a list item or a footnote is indented. */
  readonly #containers: number[] = []
  /** Where the quotes stand among the containers. */
  readonly #quotes: number[] = []
  #matched = 0
  /** Whether the innermost container is a list item without content yet: a blank line ends it. */
  #hasEmptyItem = false

  /** Whether all open containers go on in the current line. */
  get isMatched(): boolean {
    return this.#matched === this.#containers.length
  }

  /** Consumes from a new line the markers and the indentation of the containers that go on in it. */
  match(line: LineCursor): void {
    this.#matched = this.#countMatched(line)
  }

  /** Closes the containers that do not go on in the current line. */
  closeUnmatched(): void {
    if (this.isMatched) return
    this.#containers.length = this.#matched
    while ((this.#quotes.at(-1) ?? -1) >= this.#matched) this.#quotes.pop()
    this.#hasEmptyItem = false
  }

  /** Closes what does not go on in the current line, and says that the innermost container has content. */
  addContent(): void {
    this.closeUnmatched()
    this.#hasEmptyItem = false
  }

  /** Opens a block quote and consumes its marker. */
  openQuote(line: LineCursor): void {
    this.closeUnmatched()
    this.#quotes.push(this.#containers.length)
    this.#push(quote)
    consumeQuoteMarker(line)
  }

  /** Opens a list item and consumes its marker of so many characters. */
  openItem(line: LineCursor, markerLength: number): void {
    this.closeUnmatched()
    const indent = line.indent
    line.consumeMarker(markerLength)
    // Five columns or more are one, and the beginning of indented code.
    const padding = line.isBlank || line.indent > 4 ? 1 : line.indent
    line.consumeIndent(padding)
    this.#push(indent + markerLength + padding)
    this.#hasEmptyItem = line.isBlank
  }

  /** Opens a footnote and consumes its marker, which ends at `content`. */
  openFootnote(line: LineCursor, content: number): void {
    this.closeUnmatched()
    line.consumeTo(content, footnoteIndent)
    this.#push(footnoteIndent)
  }

  #push(container: number): void {
    this.#containers.push(container)
    this.#matched = this.#containers.length
    this.#hasEmptyItem = false
  }

  #countMatched(line: LineCursor): number {
    const all = this.#containers.length
    let quotes = 0
    for (let depth = 0; depth < all; depth++) {
      const container = this.#containers[depth] ?? quote
      if (container === quote) {
        if (line.indent > 3 || line.code !== greater || line.isBlank) return depth
        consumeQuoteMarker(line)
        quotes++
      } else if (line.isBlank) {
        // It goes on with every list item and footnote up to the next quote. Looking at each would make deep nests quadratic.
        return this.#quotes[quotes] ?? (this.#hasEmptyItem ? all - 1 : all)
      } else if (line.indent >= container) {
        line.consumeIndent(container)
      } else {
        return depth
      }
    }
    return all
  }
}

/** One column of white space after the marker belongs to it. */
function consumeQuoteMarker(line: LineCursor): void {
  line.consumeMarker(1)
  line.consumeIndent(1)
}

import { isSpaceOrTab } from '../grammar/characters.ts'

/**
 * Walks through the lines of a document. Within a line it stands at a column, before the white space that leads to the
 * next other character. Columns are virtual: a tab reaches to the next multiple of four and can be consumed in part.
 */
export class LineCursor {
  readonly #document: string
  #lineFeed = -1
  #carriageReturn = -1
  #column = 0
  #nonspaceColumn = 0

  /** Position of the line's first character. */
  start = 0
  /** Position after the line's last character. */
  end = 0
  /** Position of the next line. */
  next = 0
  /** Position of the next character that is no space or tab; `end` when there is none. */
  nonspace = 0
  /** Whether a marker was consumed in this line. */
  sawMarker = false

  constructor(document: string) {
    this.#document = document
  }

  /** Goes to the start of the next line; false when there is none. */
  nextLine(): boolean {
    const start = this.next
    if (start >= this.#document.length) return false
    this.start = start
    this.#lineFeed = this.#find('\n', this.#lineFeed, start)
    this.#carriageReturn = this.#find('\r', this.#carriageReturn, start)
    this.end = Math.min(this.#lineFeed, this.#carriageReturn)
    const isPair = this.#carriageReturn + 1 === this.#lineFeed
    this.next = this.end + (isPair ? 2 : 1)
    this.sawMarker = false
    this.#column = 0
    this.#skipSpace(start, 0)
    return true
  }

  /** Columns of white space before the next other character. */
  get indent(): number {
    return this.#nonspaceColumn - this.#column
  }

  /** Whether the rest of the line is white space. */
  get isBlank(): boolean {
    return this.nonspace >= this.end
  }

  /** Code of the next character that is no space or tab; NaN at the end of the document. */
  get code(): number {
    return this.#document.charCodeAt(this.nonspace)
  }

  /** Consumes white space, at most as many columns as there are. */
  consumeIndent(columns: number): void {
    this.#column += Math.min(columns, this.indent)
  }

  /** Consumes all white space and a marker of so many characters after it. */
  consumeMarker(length: number): void {
    this.sawMarker = true
    this.#column = this.#nonspaceColumn + length
    this.#skipSpace(this.nonspace + length, this.#column)
  }

  /** Consumes everything up to a position, as if it were so many columns wide. */
  consumeTo(position: number, columns: number): void {
    this.sawMarker = true
    this.#column += columns
    this.#skipSpace(position, this.#column)
  }

  #skipSpace(from: number, fromColumn: number): void {
    let position = from
    let column = fromColumn
    for (; position < this.end; position++) {
      const code = this.#document.charCodeAt(position)
      if (!isSpaceOrTab(code)) break
      column = code === 0x09 ? column + 4 - (column % 4) : column + 1
    }
    this.nonspace = position
    this.#nonspaceColumn = column
  }

  /** The next `character` from `start` on; asks the document only when the last answer lies behind. */
  #find(character: string, last: number, start: number): number {
    if (last >= start) return last
    const found = this.#document.indexOf(character, start)
    return found === -1 ? this.#document.length : found
  }
}

/** The text of a leaf block without the container markers before its lines. */
export interface Content {
  readonly text: string
  /** The position in the whole document of a position in `text`. */
  toSource(index: number): number
}

/** A part of the document as content of its own. */
export function sliceContent(document: string, start: number, end: number): Content {
  return { text: document.slice(start, end), toSource: (index) => start + index }
}

/** Content without its beginning. */
export function contentFrom(content: Content, from: number): Content {
  if (from === 0) return content
  return { text: content.text.slice(from), toSource: (index) => content.toSource(index + from) }
}

/** Collects the lines of a leaf block. Lines that follow each other in the document stay one slice of it. */
export class SourceLines {
  readonly #document: string
  /** Alternating start and end of each slice. */
  readonly #bounds: number[] = []

  constructor(document: string) {
    this.#document = document
  }

  get isEmpty(): boolean {
    return this.#bounds.length === 0
  }

  /**
   * Adds a line.
   *
   * @param isContiguous whether nothing but white space lies between this line and the one before.
   */
  add(start: number, end: number, isContiguous: boolean): void {
    if (isContiguous && !this.isEmpty) this.#bounds[this.#bounds.length - 1] = end
    else this.#bounds.push(start, end)
  }

  /** Takes the last line away again, which began at `start`. */
  removeFrom(start: number): void {
    if (this.#bounds.at(-2) === start) this.#bounds.length -= 2
    else this.#bounds[this.#bounds.length - 1] = start
  }

  clear(): void {
    this.#bounds.length = 0
  }

  toContent(): Content {
    const [start = 0, end = 0] = this.#bounds
    return this.#bounds.length <= 2 ? sliceContent(this.#document, start, end) : this.#join()
  }

  #join(): Content {
    const sources = this.#bounds.filter((_, index) => index % 2 === 0)
    const starts: number[] = []
    let text = ''
    sources.forEach((source, index) => {
      starts.push(text.length)
      text += this.#document.slice(source, this.#bounds[index * 2 + 1])
    })
    const toSource = (index: number): number => {
      const slice = lastAtMost(starts, index)
      return index - (starts[slice] ?? 0) + (sources[slice] ?? 0)
    }
    return { text, toSource }
  }
}

/** Index of the last number that is at most `value`, in rising numbers of which the first is. */
function lastAtMost(numbers: readonly number[], value: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((numbers[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Finds the ends of the code spans in a text. If called from left to right, it reads the text at
 * most twice.
 */
export class CodeSpans {
  readonly #text: string
  // The position of the last run of backticks, by length, after the text was read to its end.
  readonly #lastRuns = new Map<number, number>()
  #isSearched = false

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Returns the position after the code span that begins with the backticks at `from`. If nothing
   * closes the span, returns the position after the backticks.
   */
  end(from: number): number {
    const content = this.#runEnd(from)
    const length = content - from
    if (this.#isSearched && (this.#lastRuns.get(length) ?? -1) < content) return content
    let run = this.#text.indexOf('`', content)
    while (run !== -1) {
      const after = this.#runEnd(run)
      if (after - run === length) return after
      if (!this.#isSearched) this.#lastRuns.set(after - run, run)
      run = this.#text.indexOf('`', after)
    }
    this.#isSearched = true
    return content
  }

  #runEnd(from: number): number {
    let position = from + 1
    while (this.#text[position] === '`') position++
    return position
  }
}

import { skipRun } from './characters.ts'

/** Finds the ends of the code spans in a text. Asked from left to right, it reads the text at most twice. */
export class CodeSpans {
  readonly #text: string
  /** The last run of each length, once the text was searched to its end. */
  readonly #lastRuns = new Map<number, number>()
  #isSearched = false

  constructor(text: string) {
    this.#text = text
  }

  /** Position after the code span that begins with the backticks at `from`; after the backticks when nothing closes them. */
  end(from: number): number {
    const content = skipRun(this.#text, from)
    const length = content - from
    if (this.#isSearched && (this.#lastRuns.get(length) ?? -1) < content) return content
    let run = this.#text.indexOf('`', content)
    while (run !== -1) {
      const after = skipRun(this.#text, run)
      if (after - run === length) return after
      if (!this.#isSearched) this.#lastRuns.set(after - run, run)
      run = this.#text.indexOf('`', after)
    }
    this.#isSearched = true
    return content
  }
}

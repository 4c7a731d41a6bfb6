import type { Highlight } from './highlighter.ts'

// Matches the start of every fenced code block with a language, and sometimes other text.
const FENCE_WITH_LANGUAGE = /(?<!`)`{3,}[^\S\r\n]*[^\s`]|(?<!~)~{3,}[^\S\r\n]*\S/

/**
 * A highlighter that loads highlight.js and the languages when a text contains code with a language
 * for the first time.
 */
export class HighlighterOnDemand {
  readonly #languages: readonly string[]
  #current: Highlight | null = null
  #loading: Promise<void> | null = null

  constructor(languages: readonly string[]) {
    this.#languages = languages
  }

  /** Returns null for all code until {@link prepare} has loaded the languages. */
  readonly highlight: Highlight = (code, language) => this.#current?.(code, language) ?? null

  /**
   * Loads highlight.js and all languages if a text contains code with a language.
   *
   * @returns null if no loading is needed; otherwise a promise, which rejects if `import()` fails
   */
  prepare(markdown: string): Promise<void> | null {
    const isReady = this.#current !== null || this.#languages.length === 0
    if (isReady || !FENCE_WITH_LANGUAGE.test(markdown)) return null
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #load(): Promise<void> {
    // The highlighter is a separate chunk, because many pages contain no code.
    const { loadHighlighter } = await import('./load-highlighter.ts')
    this.#current = await loadHighlighter(this.#languages)
  }
}

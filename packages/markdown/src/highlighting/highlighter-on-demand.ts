import { findCodeLanguages } from './find-code-languages.ts'
import type { Highlight } from './highlighter.ts'

// Somebody who types a name asks for each beginning of it.
const MOST_KNOWN_WORDS = 1_000

/** Highlights code like `loadHighlighter`, and loads a language when a text has code in it. Many texts can share it. */
export class HighlighterOnDemand {
  readonly #languages: readonly string[]
  readonly #known = new Set<string>()
  #loaded: readonly string[] = []
  #current: Highlight | null = null
  #loading: Promise<void> = Promise.resolve()

  /** @param languages names of the languages that may be loaded */
  constructor(languages: readonly string[]) {
    this.#languages = languages
  }

  /** Highlights code of a text that {@link prepare} is done with. */
  readonly highlight: Highlight = (code, language) => this.#current?.(code, language) ?? null

  /**
   * Loads what the code of a text needs.
   *
   * @returns null when all of it is there
   * @throws what `import()` throws when a file can't be loaded
   */
  prepare(markdown: string): Promise<void> | null {
    if (this.#languages.length === 0) return null
    const words = [...findCodeLanguages(markdown)].filter((word) => !this.#known.has(word))
    if (words.length === 0) return null
    // One after the other: each takes along what the ones before have loaded.
    const loading = this.#loading.then(() => this.#load(words))
    this.#loading = loading.catch(() => {})
    return loading
  }

  async #load(words: readonly string[]): Promise<void> {
    // Many pages have no code to highlight: what does it is a file of its own.
    const { languagesFor, loadHighlighter } = await import('./load-highlighter.ts')
    const needed = languagesFor(words, this.#languages)
    const names = this.#languages.filter((name) => needed.has(name) || this.#loaded.includes(name))
    if (names.length > this.#loaded.length) {
      this.#current = await loadHighlighter(names)
      this.#loaded = names
    }
    if (this.#known.size > MOST_KNOWN_WORDS) this.#known.clear()
    for (const word of words) this.#known.add(word)
  }
}

import type { Highlight } from './highlighter.ts'

// The cache is cleared beyond this size. While a name is typed, each of its beginnings is added.
const MOST_KNOWN_WORDS = 1_000

const FENCE_LANGUAGE = /(?<!`)`{3,}[^\S\r\n]*([^\s`]+)|(?<!~)~{3,}[^\S\r\n]*(\S+)/g

/**
 * Highlights code like `loadHighlighter`, but loads each language when a text first needs it. Texts
 * can share it.
 */
export class HighlighterOnDemand {
  readonly #languages: readonly string[]
  readonly #known = new Set<string>()
  #loaded: readonly string[] = []
  #current: Highlight | null = null
  #loading: Promise<void> = Promise.resolve()

  /** @param languages - names of the languages that may be loaded */
  constructor(languages: readonly string[]) {
    this.#languages = languages
  }

  /** Highlights code of a text for which {@link prepare} has finished. */
  readonly highlight: Highlight = (code, language) => this.#current?.(code, language) ?? null

  /**
   * Loads the languages that a text needs.
   *
   * @returns null if all of them are loaded; otherwise a promise, which rejects if `import()` fails
   */
  prepare(markdown: string): Promise<void> | null {
    if (this.#languages.length === 0) return null
    const words = [...findCodeLanguages(markdown)].filter((word) => !this.#known.has(word))
    if (words.length === 0) return null
    // One call after the other, because each call keeps the languages loaded before.
    const loading = this.#loading.then(() => this.#load(words))
    this.#loading = loading.catch(() => {})
    return loading
  }

  async #load(words: readonly string[]): Promise<void> {
    // Many pages have no code, so the highlighter is a file of its own.
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

/**
 * Finds the words that may name the language of a code block, with their escapes and entities. It
 * looks for fences everywhere, so it may find too many words, but misses none.
 */
export function findCodeLanguages(text: string): Set<string> {
  const words = new Set<string>()
  for (const [, afterBackticks, afterTildes = ''] of text.matchAll(FENCE_LANGUAGE))
    words.add(afterBackticks ?? afterTildes)
  return words
}

import { boundGrammar } from './bound-grammar.ts'
import { cleanMarkup } from './clean-markup.ts'

/**
 * Highlights code. The result is the escaped code with `<span class="hljs-…">` elements.
 *
 * @param code - the content of a code block
 * @param language - the name of the language in upper or lower case, such as `js` or `C++`; it can
 * begin with `language-`
 * @returns null if the language is unknown, or if the code is too long or nested too deeply
 */
export type Highlight = (code: string, language: string) => string | null

/** The export of `highlight.js/lib/languages/css`: a function that creates the grammar. */
export type LanguageDefinition = (instance: never) => object

/** The members of `highlight.js/lib/core` that this package uses. */
export interface HighlightJs {
  newInstance(): HighlightJs
  registerLanguage(name: string, definition: () => never): void
  getLanguage(name: string): unknown
  highlight(
    code: string,
    options: { language: string; ignoreIllegals: boolean },
  ): { readonly value: string; readonly errorRaised?: unknown }
}

/** The maximum length of a highlighted code block, in UTF-16 units. */
export const maxHighlightedBlock = 8_000

/** The maximum length of all highlighted code in a document. Callers must enforce this limit. */
export const maxHighlightedDocument = 50_000

/**
 * Creates a highlighter for the given languages. Code inside other code, such as CSS in XML, is
 * highlighted if `languages` contains both languages. The language of code is never guessed.
 *
 * @param core - the export of `highlight.js/lib/core`, which is not changed
 * @param languages - the exports of the language modules by name; if two languages share an alias,
 * the alias refers to the later language
 * @example
 * const highlight = createHighlighter(core, { css })
 * highlight('a{}', 'css') // '<span class="hljs-selector-tag">a</span>{}'
 */
export function createHighlighter(
  core: HighlightJs,
  languages: Readonly<Record<string, LanguageDefinition>>,
): Highlight {
  const instance = core.newInstance()
  for (const [name, definition] of Object.entries(languages)) {
    const grammar = boundGrammar(definition(instance as never))
    instance.registerLanguage(name, () => ({ ...grammar, disableAutodetect: true }) as never)
  }
  return (code, language) => {
    const name = language.replace(/^lang(?:uage)?-/i, '')
    if (code.length > maxHighlightedBlock || instance.getLanguage(name) === undefined) return null
    try {
      const { value, errorRaised } = instance.highlight(code, {
        language: name,
        ignoreIllegals: true,
      })
      return errorRaised === undefined ? cleanMarkup(value, code) : null
    } catch {
      return null // The grammar is broken.
    }
  }
}

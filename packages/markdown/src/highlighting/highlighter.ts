import { boundGrammar } from './bound-grammar.ts'
import { cleanMarkup } from './clean-markup.ts'

/**
 * Gives the HTML of a code: the code escaped, with nothing but `<span class="hljs-…">` around its parts.
 *
 * @param code - the content of a code block
 * @param language - its name in any case, with or without `language-` before it: `js`, `C++`, `language-html`
 * @returns null when the language is not known, or the code is too long or nested too deeply
 */
export type Highlight = (code: string, language: string) => string | null

/** What a module of a language (`highlight.js/lib/languages/css`) exports: it makes the grammar. */
export type LanguageDefinition = (instance: never) => object

/** The members of highlight.js that are used; `highlight.js/lib/core` has them. */
export interface HighlightJs {
  newInstance(): HighlightJs
  registerLanguage(name: string, definition: () => never): void
  getLanguage(name: string): unknown
  highlight(
    code: string,
    options: { language: string; ignoreIllegals: boolean },
  ): { readonly value: string; readonly errorRaised?: unknown }
}

/** The longest code block that is highlighted, in UTF-16 units. */
export const maxHighlightedBlock = 8_000

/** How much code of one document is highlighted, in UTF-16 units: for the caller, who knows the document. */
export const maxHighlightedDocument = 50_000

/**
 * Makes a highlighter of the named languages, and of no others; a part in another language (CSS in XML) has its colours
 * if that is named too. The language of a code is never guessed.
 *
 * @param core - what `highlight.js/lib/core` exports; it stays as it is
 * @param languages - by name, what the modules of the languages export; of two with the same alias the last has it
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
      return null // A grammar that does not work.
    }
  }
}

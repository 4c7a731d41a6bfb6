import { isListOfStrings } from '../engine/check-options.ts'
import type { MarkdownRendererOptions } from '../engine/renderer-options.ts'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../highlighting/highlight-languages.ts'
import { MarkdownRenderer } from '../renderer/markdown-renderer.ts'
import { findHighlighter } from './find-highlighter.ts'
import { findMarkdownIt } from './peers.ts'

/** Options of {@link DefaultRenderer}. */
export interface DefaultRendererOptions extends MarkdownRendererOptions {
  /**
   * The class that `markdown-it` exports. If null, texts are escaped instead of parsed.
   *
   * @default the installed `markdown-it`, if there is one
   */
  readonly markdownIt?: MarkdownItConstructor | null
  /**
   * The names of the highlight.js languages whose code is highlighted. The option has no effect if
   * `highlight.js` is not installed, or if the option `highlight` is set.
   *
   * @default 22 common languages
   */
  readonly highlightLanguages?: readonly string[]
}

/**
 * A {@link MarkdownRenderer} that loads the optional peers `markdown-it` and `highlight.js`.
 *
 * @example
 * new DefaultRenderer().render('**Hello**')   // '<p><strong>Hello</strong></p>'
 */
export class DefaultRenderer extends MarkdownRenderer {
  /** The highlighted languages. The list is empty if `highlight.js` is missing or not used. */
  readonly highlightLanguages: readonly string[]

  /** @throws TypeError for an invalid option, or a language that highlight.js does not have */
  constructor({
    highlightLanguages = DEFAULT_HIGHLIGHT_LANGUAGES,
    ...options
  }: DefaultRendererOptions = {}) {
    if (!isListOfStrings(highlightLanguages))
      throw new TypeError('The option "highlightLanguages" must be a list of names.')
    const markdownIt = options.markdownIt === undefined ? findMarkdownIt() : options.markdownIt
    const isOwn =
      options.highlight !== undefined || markdownIt === null || highlightLanguages.length === 0
    const found = isOwn ? null : findHighlighter(highlightLanguages)
    super({ ...options, markdownIt, highlight: options.highlight ?? found })
    this.highlightLanguages = found === null ? [] : highlightLanguages
  }
}

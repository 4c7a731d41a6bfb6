import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../highlighting/highlight-languages.ts'
import { isListOf } from '../options/check-options.ts'
import type { MarkdownRendererOptions } from '../options/renderer-options.ts'
import { MarkdownRenderer } from '../renderer/markdown-renderer.ts'
import { versionOf } from '../renderer/version.ts'
import { findHighlighter } from './find-highlighter.ts'
import { findMarkdownIt } from './find-markdown-it.ts'

/**
 * Options of {@link DefaultRenderer}.
 */
export interface DefaultRendererOptions extends MarkdownRendererOptions {
  /**
   * The class that `markdown-it` exports, or null to do without.
   *
   * @default the installed `markdown-it`, if there is one
   */
  readonly markdownIt?: MarkdownItConstructor | null
  /**
   * The languages whose code is highlighted, by the names of highlight.js; none without the optional peer
   * `highlight.js`, and with the option `highlight`.
   *
   * @default 22 common ones
   */
  readonly highlightLanguages?: readonly string[]
}

/**
 * {@link MarkdownRenderer} with the optional peers `markdown-it` and `highlight.js` found by itself.
 *
 * @example
 * new DefaultRenderer().render('**Hello**')   // '<p><strong>Hello</strong></p>'
 */
export class DefaultRenderer extends MarkdownRenderer {
  /** The languages whose code is highlighted; empty when `highlight.js` is not installed or not used. */
  readonly highlightLanguages: readonly string[]
  readonly #version: string

  /**
   * @param options - what to allow, and which markdown-it
   * @throws TypeError that names the option that cannot be, or the language that highlight.js does not know
   */
  constructor({
    highlightLanguages = DEFAULT_HIGHLIGHT_LANGUAGES,
    ...options
  }: DefaultRendererOptions = {}) {
    if (!isListOf('string', highlightLanguages)) {
      throw new TypeError('The option "highlightLanguages" must be a list of names.')
    }
    const markdownIt = options.markdownIt === undefined ? findMarkdownIt() : options.markdownIt
    const isOwn =
      options.highlight !== undefined || markdownIt === null || highlightLanguages.length === 0
    const found = isOwn ? null : findHighlighter(highlightLanguages)
    super({ ...options, markdownIt, highlight: options.highlight ?? found })
    this.highlightLanguages = found === null ? [] : highlightLanguages
    this.#version = versionOf(`${super.version} ${this.highlightLanguages.join()}`)
  }

  /** As that of {@link MarkdownRenderer}; other languages change it too. */
  override get version(): string {
    return this.#version
  }
}

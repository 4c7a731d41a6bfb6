/**
 * An instance of `markdown-it`, as far as a caller needs to know it.
 */
export interface MarkdownItLike {
  render(markdown: string, env?: object): string
}

/**
 * The class that the optional peer `markdown-it` (15) exports. It is described here in its own words, so that the
 * published types need no `markdown-it`.
 *
 * @example
 * import MarkdownIt from 'markdown-it'
 * const markdownIt: MarkdownItConstructor = MarkdownIt
 */
export type MarkdownItConstructor = new (
  ...args: [] | [options: { html?: boolean; linkify?: boolean }]
) => MarkdownItLike

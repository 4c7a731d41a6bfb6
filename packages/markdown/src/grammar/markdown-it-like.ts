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

/**
 * Adds something to a parser: what `md.use(plugin)` takes. Its rules' output counts as HTML of the text's author, so what
 * it needs must be in the policy.
 *
 * @example
 * import abbr from 'markdown-it-abbr'
 * new DefaultRenderer({ plugins: [(parser) => abbr(parser)] })
 */
// biome-ignore lint/suspicious/noExplicitAny: plugins are typed for the markdown-it that they were written for
export type MarkdownItPlugin = (parser: any) => void

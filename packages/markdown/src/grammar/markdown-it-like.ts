/**
 * The class that the optional peer `markdown-it` (15) exports. This type describes it without
 * importing `markdown-it`, so that the published types work without the package.
 *
 * @example
 * import MarkdownIt from 'markdown-it'
 * const markdownIt: MarkdownItConstructor = MarkdownIt
 */
export type MarkdownItConstructor = new (
  ...args: [] | [options: { html?: boolean; linkify?: boolean }]
) => { render(markdown: string, env?: object): string }

/**
 * A plugin of markdown-it, as `md.use(plugin)` takes it. The output of its rules is treated like
 * HTML of the author, so the policy must list the elements that the plugin needs.
 *
 * @example
 * import abbr from 'markdown-it-abbr'
 * new DefaultRenderer({ plugins: [(parser) => abbr(parser)] })
 */
// biome-ignore lint/suspicious/noExplicitAny: a plugin has the types of the markdown-it version it was written for
export type MarkdownItPlugin = (parser: any) => void

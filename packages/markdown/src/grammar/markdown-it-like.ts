/**
 * The class that the optional peer `markdown-it` (version 15) exports. The type does not import
 * `markdown-it`, so that the published types work without this package.
 *
 * @example
 * import MarkdownIt from 'markdown-it'
 * const markdownIt: MarkdownItConstructor = MarkdownIt
 */
export type MarkdownItConstructor = new (
  ...args: [] | [options: { html?: boolean; linkify?: boolean }]
) => { render(markdown: string, env?: object): string }

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

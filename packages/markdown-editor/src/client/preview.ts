import MarkdownIt from 'markdown-it'
import { MarkdownRenderer } from '../rendering/markdown-renderer.ts'

/**
 * Makes the renderer of the preview: the one that the server has, so that both give the same HTML. This module is
 * loaded when a preview is first asked for.
 *
 * @param embedHosts host names that may be framed; null: the default ones
 */
export function createPreviewRenderer(embedHosts: readonly string[] | null): (markdown: string) => string {
  const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt, ...(embedHosts === null ? {} : { embedHosts }) })
  return (markdown) => renderer.render(markdown)
}

// The Worker of previews, with the server's own renderer: both give the same HTML.
import MarkdownIt from 'markdown-it'
import type { Highlight } from '../../rendering/highlighting/highlighter.ts'
import { IncrementalRenderer } from '../../rendering/incremental-renderer.ts'
import { type PreviewServer, servePreview } from './serve-preview.ts'

const server: PreviewServer = servePreview(async ({ highlightLanguages, ...options }) => {
  const highlight = await loadHighlight(highlightLanguages)
  return new IncrementalRenderer({ ...options, markdownIt: MarkdownIt, highlight })
})

export default server

// Many pages have no code to highlight: what does it is a file of its own.
async function loadHighlight(languages: readonly string[]): Promise<Highlight | null> {
  if (languages.length === 0) return null
  const { loadHighlighter } = await import('../../rendering/browser/load-highlighter.ts')
  return loadHighlighter(languages)
}

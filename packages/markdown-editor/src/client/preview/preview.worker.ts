// The Worker of previews, with the server's own renderer: both give the same HTML.
import MarkdownIt from 'markdown-it'
import { HighlighterOnDemand } from '../../rendering/browser/highlighter-on-demand.ts'
import { IncrementalRenderer } from '../../rendering/incremental-renderer.ts'
import { type PreviewServer, servePreview } from './serve-preview.ts'

const server: PreviewServer = servePreview(({ highlightLanguages, ...options }) => {
  const highlighter = new HighlighterOnDemand(highlightLanguages)
  const { highlight } = highlighter
  const renderer = new IncrementalRenderer({ ...options, markdownIt: MarkdownIt, highlight })
  return {
    prepare: (markdown) => highlighter.prepare(markdown),
    update: (markdown) => renderer.update(markdown),
  }
})

export default server

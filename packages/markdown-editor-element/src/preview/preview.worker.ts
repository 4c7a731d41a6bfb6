// The default Worker of previews. It uses the renderer of the server, so both return the same HTML.

import { HighlighterOnDemand, IncrementalRenderer } from '@quillgate/markdown/browser'
import MarkdownIt from 'markdown-it'
import { type PreviewServer, servePreview } from './serve-preview.ts'

const server: PreviewServer = servePreview(({ highlightLanguages, ...options }) => {
  const highlighter = new HighlighterOnDemand(highlightLanguages)
  const { highlight } = highlighter
  const renderer = new IncrementalRenderer({ markdownIt: MarkdownIt, ...options, highlight })
  return {
    prepare: (markdown) => highlighter.prepare(markdown),
    update: (markdown) => renderer.update(markdown),
  }
})

export default server

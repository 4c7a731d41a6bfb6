// The Worker of previews, with the server's own renderer: both give the same HTML.

import { HighlighterOnDemand, IncrementalRenderer } from '@quillgate/markdown/browser'
import MarkdownIt from 'markdown-it'
import { type CreatePreviewRenderer, type PreviewServer, servePreview } from './serve-preview.ts'

function rendererFactory(): CreatePreviewRenderer {
  // Editors of the same languages share what is loaded and compiled for them.
  const highlighters = new Map<string, HighlighterOnDemand>()
  return ({ highlightLanguages, ...options }) => {
    const key = highlightLanguages.join(' ')
    const highlighter = highlighters.get(key) ?? new HighlighterOnDemand(highlightLanguages)
    highlighters.set(key, highlighter)
    const renderer = new IncrementalRenderer({
      markdownIt: MarkdownIt,
      ...options,
      highlight: highlighter.highlight,
    })
    return {
      prepare: (markdown) => highlighter.prepare(markdown),
      update: (markdown) => renderer.update(markdown),
    }
  }
}

const server: PreviewServer = servePreview(rendererFactory())

export default server

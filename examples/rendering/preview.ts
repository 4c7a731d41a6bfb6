import { IncrementalRenderer, loadHighlighter } from '@quillgate/markdown/browser'
import { servePreview } from '@quillgate/markdown-editor-element/preview-worker'
import MarkdownIt from 'markdown-it'
import { onMedium } from './from-cdn.ts' // the same function as on the server

export default servePreview(async ({ highlightLanguages, ...options }) => {
  const highlight = await loadHighlighter(highlightLanguages)
  return new IncrementalRenderer({ ...options, markdownIt: MarkdownIt, onMedium, highlight })
})

import { loadHighlighter, MarkdownRenderer } from '@quillgate/markdown/browser'
import { servePreview } from '@quillgate/markdown-editor-element/preview-worker'
import MarkdownIt from 'markdown-it'
import { WikiRenderer } from './wiki-renderer.ts'

export default servePreview(async ({ highlightLanguages, ...options }) => {
  const highlight = await loadHighlighter(highlightLanguages)
  return new WikiRenderer(new MarkdownRenderer({ ...options, markdownIt: MarkdownIt, highlight }))
})

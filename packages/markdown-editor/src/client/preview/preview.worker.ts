// The Worker of previews, with the server's own renderer: both give the same HTML.
import MarkdownIt from 'markdown-it'
import { type PreviewServer, servePreview } from './serve-preview.ts'
import { IncrementalRenderer } from './stand-in.ts'

const server: PreviewServer = servePreview(
  ({ highlightLanguages, ...options }) => new IncrementalRenderer({ ...options, markdownIt: MarkdownIt }),
)

export default server

// Shows a text on a page.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { DefaultRenderer } from '@quillgate/markdown'

const { resolve } = createRequire(import.meta.url)
const styles = readFileSync(resolve('@quillgate/markdown/markdown.css'), 'utf8')

export const renderer = new DefaultRenderer({
  alertTitles: {
    note: 'Hinweis',
    tip: 'Tipp',
    important: 'Wichtig',
    warning: 'Warnung',
    caution: 'Vorsicht',
  },
})
const page = (markdown: string) =>
  `<!doctype html><style>${styles}</style>
  <article class="md-content">${renderer.render(markdown)}</article>`

export const server = createServer((_req, res) => {
  res.setHeader('content-type', 'text/html; charset=utf-8')
  res.end(page('# Hello\n\n> [!TIP]\n> **Safe:** <script>alert(1)</script>'))
})
if (import.meta.main) server.listen(3000)

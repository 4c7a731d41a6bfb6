import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownEditor, MarkdownEditorWidgetOptions } from '@quillgate/markdown-editor'
import { Router } from 'express'
import type { Account } from '../accounts.ts'
import type { DemoParts } from '../parts.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/', import.meta.url))

// Matches a code block that begins with `markdown live {…}`. The JSON contains the options of the
// widget. Its property `repeat` is the number of copies of the text.
const LIVE_BLOCK = /^(`{3,})markdown live (\{.*\})\n([\s\S]*?)^\1$/gm

// Matches a line with which VitePress includes a file of the repository.
const INCLUDED_FILE = /^<<< (\S+)$/gm

/** Creates the routes of the guides in `apps/docs`. An editor replaces each live block. */
export function guideRoutes({ editor }: DemoParts): Router {
  const router = Router()
  router.get('/docs/:page', (request, response, next) => {
    const { page } = request.params
    if (!readdirSync(FOLDER).includes(page) || !page.endsWith('.md')) return next()
    const source = readSource(page)
    response.render('guide', {
      title: /^# (.*)/m.exec(source)?.[1] ?? page,
      assets: editor.widget().assets,
      parts: readGuide(source).map((part) => showPart(part, editor)),
    })
  })
  return router
}

/** Returns the Markdown of a guide, with the files that it includes. */
function readSource(page: string): string {
  return readFileSync(join(FOLDER, page), 'utf8').replace(INCLUDED_FILE, (_line, path: string) => {
    const code = readFileSync(join(FOLDER, path), 'utf8')
    return `\`\`\`${extname(path).slice(1)}\n${code}\`\`\``
  })
}

type GuidePart =
  | string
  | { readonly id: string; readonly text: string; readonly options: MarkdownEditorWidgetOptions }

function readGuide(source: string): GuidePart[] {
  const parts: GuidePart[] = []
  let end = 0
  for (const { 0: block, 2: json = '{}', 3: sample = '', index } of source.matchAll(LIVE_BLOCK)) {
    const { repeat = 1, ...options } = JSON.parse(json) as MarkdownEditorWidgetOptions & {
      repeat?: number
    }
    parts.push(source.slice(end, index), {
      id: `live-${parts.length}`,
      text: sample.repeat(repeat),
      options,
    })
    end = index + block.length
  }
  return [...parts, source.slice(end)]
}

function showPart(part: GuidePart, editor: MarkdownEditor<Account>): object {
  // The renderer adds a prefix to the ids of headings. Links to headings of other guides need the
  // same prefix.
  if (typeof part === 'string') {
    return {
      html: editor.renderer
        .render(part)
        .replace(/ href="([\w-]+\.md)#(?=[\w-])/g, ' href="$1#user-content-'),
    }
  }
  const field = editor.widget(part.options)
  return { field: field.render(part.id, part.text, { id: part.id, 'aria-label': 'Try it' }) }
}

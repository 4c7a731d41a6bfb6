import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart } from '../i18n/load-part.ts'
import { type FileTarget, pastedFiles } from '../uploads/file-input.ts'
import type { Clip } from './paste.ts'

/**
 * Converts pasted rich content to Markdown. A paste with Shift (Ctrl+Shift+V) inserts plain text.
 * Pasted files are ignored if `files` accepts them.
 */
export function listenForPaste(context: EditorContext, files: FileTarget): void {
  const { host, signal } = context
  // True after the keys of a plain-text paste, for which some browsers provide the HTML as well.
  let plain = false
  context.events.key.add(({ code, key, ctrlKey, metaKey, shiftKey }) => {
    plain = shiftKey && (ctrlKey || metaKey) && (code === 'KeyV' || /^v$/i.test(key))
  })
  host.addEventListener(
    'paste',
    (event) => {
      const data = event.clipboardData
      const { surface } = context
      const asText = plain
      plain = false
      if (
        asText ||
        data === null ||
        !surface.editable ||
        !surface.target.contains(event.target as Node)
      )
        return
      if (files.accepts() && pastedFiles(data).length > 0) return
      const [text = '', html = '', markdown = ''] = TYPES.map((type) =>
        data.getData(`text/${type}`),
      )
      const { selectionStart, selectionEnd } = surface.readAround(0)
      if (
        html + markdown === '' &&
        (selectionStart === selectionEnd || !/^\s*\w+:\S+\s*$/.test(text))
      )
        return
      event.preventDefault()
      void paste(context, { text, html, markdown })
    },
    { signal, capture: true },
  )
}

const TYPES = ['plain', 'html', 'x-gfm']

async function paste(context: EditorContext, clip: Clip): Promise<void> {
  const edit = await loadPart(() => import('./paste.ts'), context.strings)
    .then(({ pasteEdit }) => pasteEdit(clip, context.surface.read()))
    .catch(() => null)
  if (edit !== null && context.edit(edit, true)) return
  const { selectionStart: start, selectionEnd: end } = context.surface.read()
  const insert = clip.text.replace(/\r\n?/g, '\n')
  const caret = start + insert.length
  if (
    insert === '' ||
    context.edit({ start, end, insert, selectionStart: caret, selectionEnd: caret }, true)
  )
    return
  context.notice.fail(context.strings.noRoom)
}

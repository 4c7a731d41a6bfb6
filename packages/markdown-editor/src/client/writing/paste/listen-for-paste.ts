import type { EditorContext } from '../../editor-context.ts'
import type { FileTarget } from '../../files/file-input.ts'
import { pastedFiles } from '../../files/file-types.ts'
import { loadPart } from '../../load-part.ts'
import type { Clip } from './paste.ts'

/**
 * Makes markdown of what is pasted, where it is more than text; with the Shift key the text alone is pasted. Files are
 * left to {@link FileTarget}.
 */
export function listenForPaste(context: EditorContext, files: FileTarget): void {
  const { host, signal } = context
  const options = { signal, capture: true }
  let plain = false
  const onKey = ({ type, code, key, shiftKey }: KeyboardEvent): void => {
    plain = type === 'keydown' && shiftKey && (code === 'KeyV' || /^v$/i.test(key))
  }
  host.addEventListener('keydown', onKey, options)
  host.addEventListener('keyup', onKey, options)
  host.addEventListener(
    'paste',
    (event) => {
      const data = event.clipboardData
      const { surface } = context
      if (plain || data === null || !surface.editable || !surface.target.contains(event.target as Node)) return
      if (files.accepts() && pastedFiles(data).length > 0) return
      const [html = '', text = '', markdown = ''] = ['html', 'plain', 'x-gfm'].map((type) =>
        data.getData(`text/${type}`),
      )
      const { selectionStart, selectionEnd } = surface.readAround(0)
      if (html + markdown === '' && (selectionStart === selectionEnd || !/^\s*\w+:\S+\s*$/.test(text))) return
      event.preventDefault()
      void paste(context, { html, text, markdown })
    },
    options,
  )
}

async function paste(context: EditorContext, clip: Clip): Promise<void> {
  const part = await loadPart(() => import('./paste.ts'), context.strings).catch(() => null)
  const state = context.surface.read()
  const edit = part?.pasteEdit(clip, state)
  if (edit != null && context.edit(edit, true)) return
  const { selectionStart: start, selectionEnd: end } = state
  const insert = clip.text.replace(/\r\n?/g, '\n')
  const caret = start + insert.length
  if (insert === '' || context.edit({ start, end, insert, selectionStart: caret, selectionEnd: caret }, true)) return
  context.notice.fail(context.strings.noRoom)
}

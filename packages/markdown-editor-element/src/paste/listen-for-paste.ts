import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart } from '../i18n/load-part.ts'
import { type FileTarget, pastedFiles } from '../uploads/file-input.ts'
import type { Clip } from './paste.ts'

/** Converts pasted HTML to Markdown, except with Shift, or if the editor accepts pasted files. */
export function listenForPaste(context: FileTarget): void {
  const { host, signal } = context
  // True after the keys of a plain-text paste, for which some browsers provide the HTML as well.
  let plain = false
  context.events.key.add(({ code, key, ctrlKey, metaKey, shiftKey }) => {
    plain = shiftKey && (ctrlKey || metaKey) && (code === 'KeyV' || /^v$/i.test(key))
  })
  const onPaste = (event: ClipboardEvent): void => {
    const { surface } = context
    const data = event.clipboardData
    const asText = plain
    plain = false
    const isHere = surface.editable && surface.target.contains(event.target as Node)
    if (asText || !isHere || data === null) return
    if (context.accepts() && pastedFiles(data).length > 0) return
    const [text, html] = [data.getData('text/plain'), data.getData('text/html')]
    const { selectionStart, selectionEnd } = surface.read()
    const mayLink = selectionStart !== selectionEnd && /^\s*\w+:\S+\s*$/.test(text)
    if (html === '' && !mayLink) return
    event.preventDefault()
    void paste(context, { text, html })
  }
  host.addEventListener('paste', onPaste, { signal, capture: true })
}

async function paste(context: EditorContext, clip: Clip): Promise<void> {
  const edit = await loadPart(() => import('./paste.ts'), context.strings)
    .then(({ pasteEdit }) => pasteEdit(clip, context.surface.read()))
    .catch(() => null)
  if (edit !== null && context.edit(edit, false)) return
  const { selectionStart: start, selectionEnd: end } = context.surface.read()
  const insert = clip.text.replace(/\r\n?/g, '\n')
  // Does not use `replacing`, whose module would then be loaded with the page.
  const caret = start + insert.length
  const selection = { selectionStart: caret, selectionEnd: caret }
  if (insert !== '') context.edit({ start, end, insert, ...selection }, true)
}

import type { EditorContext } from '../editor/editor-context.ts'
import type { UploadingEditor } from './uploads.ts'

/** Returns whether the text may contain temporary URLs and there is a URL to finalize them. */
export function hasTemporaryFiles(editor: EditorContext): boolean {
  const text = editor.textarea.value
  const prefix = editor.host.getAttribute('temp-url')
  const mayContain = prefix === null || text.includes(prefix)
  return mayContain && text !== '' && editor.attribute('finalize-url') !== ''
}

/** Returns whether the text of an editor must be prepared before it can be sent. */
export function needsPreparation(editor: UploadingEditor): boolean {
  if (editor.textarea.matches(':disabled')) return false
  editor.surface.flush()
  return editor.uploads.pending || hasTemporaryFiles(editor)
}

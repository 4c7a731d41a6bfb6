import type { EditorContext } from '../editor/editor-context.ts'
import type { Uploads } from '../uploads/uploads.ts'

/** The parts of an editor that the submit of its form needs. */
export interface GuardedField {
  readonly context: EditorContext
  readonly uploads: Uploads
}

/**
 * True if the text is not ready to be sent: files are being uploaded, or it contains URLs of
 * temporary files.
 */
export function needsPreparation({ context, uploads }: GuardedField): boolean {
  const { surface, textarea } = context
  if (textarea.matches(':disabled')) return false
  surface.flush()
  return uploads.pending || hasTemporaryFiles(context)
}

/**
 * True if the text may contain URLs of temporary files. Without `temp-url`, the temporary URLs are
 * unknown, so the server is always asked.
 */
export function hasTemporaryFiles(context: EditorContext): boolean {
  const text = context.textarea.value
  const prefix = context.host.getAttribute('temp-url')
  return (
    context.attribute('finalize-url') !== '' &&
    text !== '' &&
    (prefix === null || text.includes(prefix))
  )
}

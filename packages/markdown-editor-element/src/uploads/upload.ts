import { applyEdit, type TextState } from '../commands/edit.ts'
import type { UploadEvents } from '../editor/element-events.ts'
import { fillPlaceholder, type PlaceholderForms } from './placeholder.ts'
import type { UploadRow } from './upload-list.ts'
import type { UploadState } from './upload-state.ts'

// In milliseconds. The progress of shorter uploads is not announced.
const LONG_UPLOAD = 2000

/** The data for the next editor of a textarea to continue an upload. */
export interface CarriedUpload {
  /** Null after a reload, when only the placeholder is left. */
  readonly file: File | null
  readonly name: string
  readonly forms: PlaceholderForms
}

/** An upload of an editor, with its row and its state. */
export interface Upload extends CarriedUpload {
  file: File | null
  readonly row: UploadRow
  state: UploadState
  /** True between `upload-start` and the event that ends it. */
  started: boolean
}

/** An upload whose file is unknown; the message is for the user. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
}

/** Replaces the placeholders of uploads in a text; null as content keeps a placeholder. */
export function fillAll(
  text: string,
  uploads: Iterable<Upload>,
  contentOf: (upload: Upload) => string | null,
): string {
  let state: TextState = { text, selectionStart: 0, selectionEnd: 0 }
  for (const upload of uploads) {
    const content = contentOf(upload)
    const edit = content === null ? null : fillPlaceholder(state, upload.forms, content)
    if (edit !== null) state = applyEdit(state, edit)
  }
  return state.text
}

/**
 * Shows the progress of an upload in its row.
 *
 * @param half is called once when half of a long upload is sent
 */
export function reportProgress({ row }: Upload, half: () => void): (share: number) => void {
  const begun = performance.now()
  let isHalf = false
  return (share) => {
    row.progress(share)
    if (isHalf || share < 0.5) return
    isHalf = true
    if (performance.now() - begun > LONG_UPLOAD) half()
  }
}

/** Sends an event to the page. `upload-start` is sent once, and the others only after it. */
export function tell<Type extends keyof UploadEvents>(
  host: HTMLElement,
  type: Type,
  upload: Upload,
  more: Omit<UploadEvents[Type]['detail'], 'file'>,
): void {
  const { file } = upload
  const starts = type === 'upload-start'
  if (file === null || starts === upload.started) return
  upload.started = starts
  const detail = { file, ...more }
  host.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
}

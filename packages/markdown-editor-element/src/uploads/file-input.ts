import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { Placement } from './upload.ts'

/** The context of an editor that receives the user's files. */
export interface FileTarget extends EditorContext {
  accepts(): boolean
  add(files: readonly File[], placement?: Placement): void
}

/** @param accept media types separated by commas; `''` for all types */
export function openChooser(
  accept: string,
  multiple: boolean,
  take: (files: readonly File[]) => void,
): void {
  const input = createElement('input', { type: 'file', multiple: multiple || null, accept })
  input.addEventListener('change', () => take([...(input.files ?? [])].map(withPlainName)))
  input.click()
}

/** Removes bidirectional control characters from a file name. They can hide the extension. */
export function withPlainName(file: File): File {
  const { lastModified, name, type } = file
  const plain = name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
  return plain === name ? file : new File([file], plain, { type, lastModified })
}

/** Accepts files that are pasted into the text or dropped on the editor. */
export function listenForFiles(context: FileTarget): void {
  listenForDrops(context)
  const paste = (event: ClipboardEvent): void => {
    if (!context.surface.target.contains(event.target as Node | null)) return
    const files = pastedFiles(event.clipboardData)
    if (files.length === 0 || !context.accepts()) return
    event.preventDefault()
    context.add(files)
  }
  // Listens in the capture phase, so that the listener runs before CodeMirror handles the paste.
  context.host.addEventListener('paste', paste, { capture: true, signal: context.signal })
}

function listenForDrops(context: FileTarget): void {
  const { host, signal } = context
  const first = { capture: true, signal }
  const drag = (event: DragEvent): boolean => {
    const { dataTransfer } = event
    if (!dataTransfer?.types.includes('Files') || inDialog(event)) return false
    // Without this call, the browser would leave the page and open the file.
    event.preventDefault()
    const accepted = context.accepts()
    if (!accepted) dataTransfer.dropEffect = 'none'
    host.toggleAttribute('data-dragging', accepted && event.type !== 'drop')
    return accepted
  }
  host.addEventListener('dragenter', drag, first)
  host.addEventListener('dragover', drag, first)
  const leave = ({ relatedTarget }: DragEvent): void => {
    if (!host.contains(relatedTarget as Node | null)) host.removeAttribute('data-dragging')
  }
  host.addEventListener('dragleave', leave, { signal })
  const drop = (event: DragEvent): void => {
    if (!drag(event)) return
    const { surface } = context
    // Moves the caret to the drop position, if the browser can compute the offset.
    const offset = surface.offsetAt(event.clientX, event.clientY)
    if (offset !== null) surface.select(offset, offset)
    context.add([...(event.dataTransfer?.files ?? [])])
  }
  host.addEventListener('drop', drop, first)
}

function inDialog({ target }: Event): boolean {
  return target instanceof Element && target.closest('dialog') !== null
}

/** Ignores files beside HTML and plain text: Excel, for example, adds a picture of the text. */
export function pastedFiles(data: DataTransfer | null): readonly File[] {
  if (data === null || (data.types.includes('text/html') && data.types.includes('text/plain')))
    return []
  return [...data.files]
}

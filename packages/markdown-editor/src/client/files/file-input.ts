import { createElement } from '../dom/elements.ts'
import { acceptedTypes, type FileKind, pastedFiles } from './file-types.ts'

/** What takes the files that a user gives to an editor. */
export interface FileTarget {
  /** True when files can be taken now. */
  accepts(): boolean
  add(files: readonly File[]): void
}

/**
 * Opens the file chooser.
 *
 * @param types the media types that may be uploaded, with spaces between them; null when all may
 */
export function chooseFiles(kind: FileKind | null, types: string | null, target: FileTarget): void {
  if (!target.accepts()) return
  const input = createElement('input', { type: 'file', multiple: true, accept: acceptedTypes(kind, types) })
  input.addEventListener('change', () => target.add([...(input.files ?? [])]))
  input.click()
}

/** Takes files that are pasted into the textarea or dropped on the editor. */
export function listenForFiles(
  host: HTMLElement,
  textarea: HTMLTextAreaElement,
  target: FileTarget,
  signal: AbortSignal,
): void {
  const drag = (event: DragEvent): boolean => {
    const carries = target.accepts() && (event.dataTransfer?.types.includes('Files') ?? false)
    if (carries) event.preventDefault()
    host.toggleAttribute('data-dragging', carries && event.type !== 'drop')
    return carries
  }
  host.addEventListener('dragenter', drag, { signal })
  host.addEventListener('dragover', drag, { signal })
  host.addEventListener(
    'dragleave',
    ({ relatedTarget }) => {
      if (!host.contains(relatedTarget as Node | null)) host.removeAttribute('data-dragging')
    },
    { signal },
  )
  host.addEventListener(
    'drop',
    (event) => {
      if (!drag(event)) return
      moveCaretTo(textarea, event)
      target.add([...(event.dataTransfer?.files ?? [])])
    },
    { signal },
  )
  textarea.addEventListener(
    'paste',
    (event) => {
      const files = pastedFiles(event.clipboardData)
      if (files.length === 0 || !target.accepts()) return
      event.preventDefault()
      target.add(files)
    },
    { signal },
  )
}

/** Puts the caret where something was dropped, where the browser can tell. */
function moveCaretTo(textarea: HTMLTextAreaElement, { clientX, clientY }: DragEvent): void {
  const position = document.caretPositionFromPoint?.(clientX, clientY)
  if (position?.offsetNode === textarea) textarea.setSelectionRange(position.offset, position.offset)
}

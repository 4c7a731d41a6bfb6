import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor-context.ts'
import type { Surface } from '../surface/surface.ts'
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
  if (target.accepts()) openChooser(acceptedTypes(kind, types), true, (files) => target.add(files))
}

/**
 * Opens the file chooser of the browser.
 *
 * @param accept media types with commas between them; null and `''`: all
 * @param take hears what was chosen: one file at least
 */
export function openChooser(accept: string | null, multiple: boolean, take: (files: readonly File[]) => void): void {
  const input = createElement('input', { type: 'file', multiple: multiple || null, accept })
  input.addEventListener('change', () => take([...(input.files ?? [])]))
  input.click()
}

/** Takes files that are pasted where someone writes or dropped on the editor. */
export function listenForFiles(context: EditorContext, target: FileTarget): void {
  const { host, signal } = context
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
      moveCaretTo(context.surface, event)
      target.add([...(event.dataTransfer?.files ?? [])])
    },
    { signal },
  )
  host.addEventListener(
    'paste',
    (event) => {
      if (event.target !== context.surface.target) return
      const files = pastedFiles(event.clipboardData)
      if (files.length === 0 || !target.accepts()) return
      event.preventDefault()
      target.add(files)
    },
    { signal },
  )
}

/** Puts the caret where something was dropped, where the browser can tell. */
function moveCaretTo(surface: Surface, { clientX, clientY }: DragEvent): void {
  const offset = surface.offsetAt(clientX, clientY)
  if (offset !== null) surface.select(offset, offset)
}

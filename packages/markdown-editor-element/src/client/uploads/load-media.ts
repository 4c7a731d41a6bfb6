import { whenIdle } from '../dom/when-idle.ts'
import { loadPart } from '../load-part.ts'
import type { EditorStrings } from '../strings/strings.ts'

/** What uploads and submits need beyond the first load. */
export type Media = typeof import('../media.ts')

/**
 * Loads what uploads and submits need; the browser keeps it.
 *
 * @throws Error as `loadPart` does
 */
export function loadMedia(strings: EditorStrings): Promise<Media> {
  return loadPart(() => import('../media.ts'), strings)
}

/** Loads it ahead, so that a form can be sent though the server has been deployed anew since the page was opened. */
export function prefetchMedia(strings: EditorStrings): void {
  whenIdle(() => {
    loadMedia(strings).catch(() => {}) // Who needs it tries once more, and tells.
  })
}

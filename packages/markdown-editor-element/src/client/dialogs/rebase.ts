import { editBetween } from '../commands/edit.ts'
import type { Range } from '../commands/selection.ts'

/**
 * Where a part of a text is after the text has changed; null when the part itself has changed. A dialog may be open while
 * a file arrives in the text.
 */
export function rebase(range: Range, before: string, after: string): Range | null {
  const still = { selectionStart: 0, selectionEnd: 0 }
  const edit = editBetween({ text: before, ...still }, { text: after, ...still })
  if (edit === null || edit.start >= range.end) return range
  if (edit.end > range.start) return null
  const shift = after.length - before.length
  return { start: range.start + shift, end: range.end + shift }
}

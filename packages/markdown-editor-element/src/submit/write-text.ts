import { findRewrites } from '@quillgate/markdown/media-urls'
import { type Edit, editBetween, spliced } from '../commands/edit.ts'
import { writeValue } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'

/**
 * Replaces the text of an editor as one step of the history, and keeps the selection as far as
 * possible.
 */
export function writeText(context: EditorContext, text: string): void {
  const state = context.surface.read()
  const within = (offset: number): number => Math.min(offset, text.length)
  const selection = {
    selectionStart: within(state.selectionStart),
    selectionEnd: within(state.selectionEnd),
  }
  write(context, editBetween(state, { text, ...selection }), text)
}

/**
 * Replaces URLs where a text refers to them, and nowhere else, as one step of the history.
 *
 * @param replacements from a URL, as the text spells it
 */
export function rewriteText(
  context: EditorContext,
  replacements: Readonly<Record<string, string>>,
): void {
  const state = context.surface.read()
  const rewrites = findRewrites(state.text, new Map(Object.entries(replacements)))
  const splices = rewrites.map(({ start, end, replacement }) => ({
    at: start,
    removed: end - start,
    added: replacement,
  }))
  const edit = spliced(state, splices)
  const text = edit && state.text.slice(0, edit.start) + edit.insert + state.text.slice(edit.end)
  if (text !== null) write(context, edit, text)
}

function write(context: EditorContext, edit: Edit | null, text: string): void {
  if (edit === null) return
  const { surface, textarea } = context
  const active = document.activeElement
  // The browser adds an undo step only while the field has the focus. So a pressed button gives it
  // the focus for a moment, unless that would open an on-screen keyboard.
  const lends = active instanceof HTMLButtonElement && matchMedia('(pointer: fine)').matches
  if (lends) surface.focus({ preventScroll: true })
  const done = context.edit(edit, false)
  if (lends) active.focus({ preventScroll: true })
  if (!done) {
    // `maxlength` limits what users write. It does not apply to this change.
    writeValue(textarea, text)
    surface.takeOver()
  }
  surface.flush()
}

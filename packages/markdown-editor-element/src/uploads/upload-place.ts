import { applyEdit, replaceRange, type TextState } from '../commands/edit.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { fillPlaceholder, insertApart } from './placeholder.ts'
import type { Upload } from './upload.ts'

/** Returns whether a text contains the placeholder or the replaced range of an upload. */
export function hasPlace({ placeholder, replaces }: Upload, text: string): boolean {
  return replaces === null ? text.includes(placeholder) : replaces(text) !== null
}

/** Inserts texts as separate blocks at the caret. Returns false if the edit is rejected. */
export function insertBelow(context: EditorContext, texts: readonly string[]): boolean {
  context.surface.focus() // Not by `edit`, which would show its own error.
  const done = context.edit(insertApart(context.surface.read(), texts), false)
  if (done) void context.surface.reveal()
  return done
}

/** Writes `insert` to the place of an upload. Returns whether the text was changed. */
export function replacePlace(
  context: EditorContext,
  { placeholder, replaces, insertion }: Upload,
  insert: string,
): boolean {
  const { surface } = context
  const state = surface.read()
  if (replaces !== null) {
    const range = insert === '' ? null : replaces(state.text)
    const edit = range && replaceRange(state, range.start, range.end, insert)
    return edit !== null && context.edit(edit, false)
  }
  const filled = fillPlaceholder(state, placeholder, insert)
  const isRemoval = filled !== null && insert === '' && insertion !== null
  const edit = isRemoval ? insertion.remove(state, filled) : filled
  const done = edit !== null && context.edit(edit, false)
  // The browser has scrolled to the insertion. On a phone, its URL moves the caret some lines down.
  if (done && surface.focused) void surface.reveal()
  return done
}

/** Replaces the placeholders of settled uploads in a text. */
export function fillSettled(text: string, uploads: Iterable<Upload>): string {
  let state: TextState = { text, selectionStart: 0, selectionEnd: 0 }
  for (const upload of uploads) {
    if (upload.state.kind !== 'settled' || upload.replaces !== null) continue
    const edit = fillPlaceholder(state, upload.placeholder, upload.state.content)
    if (edit !== null) state = applyEdit(state, edit)
  }
  return state.text
}

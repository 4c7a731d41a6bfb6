import type { Edit, TextState } from '../commands/edit.ts'
import { STRINGS } from '../strings.ts'
import { escapeLabel } from './media-markdown.ts'

/**
 * What stands in a text for a file on its way: unlike anything in the text, so that it is found again wherever it gets.
 *
 * @param taken texts in which it must not occur
 */
export function createPlaceholder(
  file: { readonly name: string; readonly type: string },
  taken: readonly string[],
): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? file.name : `${file.name} (${count})`
    const image = file.type.startsWith('image/') ? '!' : ''
    const placeholder = `${image}[${escapeLabel(STRINGS.placeholder(name))}]()`
    if (!taken.some((text) => text.includes(placeholder))) return placeholder
  }
}

/** Puts placeholders behind the selection, several on lines of their own, never glued to a word. */
export function insertPlaceholders({ text, selectionEnd }: TextState, placeholders: readonly string[]): Edit {
  const before = /\S/.test(text[selectionEnd - 1] ?? '') ? ' ' : ''
  const after = /\S/.test(text[selectionEnd] ?? '') ? ' ' : ''
  const insert = before + placeholders.join('\n') + after
  const caret = selectionEnd + insert.length
  return { start: selectionEnd, end: selectionEnd, insert, selectionStart: caret, selectionEnd: caret }
}

/** Puts a text in a placeholder's place; the selection stays where it is. Null when the placeholder is gone. */
export function replacePlaceholder(state: TextState, placeholder: string, insert: string): Edit | null {
  const start = state.text.indexOf(placeholder)
  if (start === -1) return null
  const end = start + placeholder.length
  return { start, end, insert, ...shiftSelection(state, start, end, insert.length) }
}

/** Takes a placeholder away, with its line when it stands on one alone. */
export function removePlaceholder(state: TextState, placeholder: string): Edit | null {
  const edit = replacePlaceholder(state, placeholder, '')
  if (edit === null) return null
  const { text } = state
  const opensLine = edit.start === 0 || text[edit.start - 1] === '\n'
  if (!opensLine || text[edit.end] !== '\n') return edit
  return { ...edit, end: edit.end + 1, ...shiftSelection(state, edit.start, edit.end + 1, 0) }
}

function shiftSelection(
  { selectionStart, selectionEnd }: TextState,
  start: number,
  end: number,
  length: number,
): Pick<Edit, 'selectionStart' | 'selectionEnd'> {
  const moved = (offset: number): number => {
    if (offset <= start) return offset
    return offset >= end ? offset - (end - start) + length : start + length
  }
  return { selectionStart: moved(selectionStart), selectionEnd: moved(selectionEnd) }
}

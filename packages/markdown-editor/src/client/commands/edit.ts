/** A text and what is selected in it; offsets are UTF-16 code units, as a textarea has them. */
export interface TextState {
  readonly text: string
  readonly selectionStart: number
  readonly selectionEnd: number
}

/** One change: `insert` takes the place of `[start, end)`, then the selection is set. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly insert: string
  readonly selectionStart: number
  readonly selectionEnd: number
}

/** What a toolbar button does to a text; null when there is nothing to do. Pure. */
export type Command = (state: TextState) => Edit | null

/** The text and selection after an edit. */
export function applyEdit(state: TextState, edit: Edit): TextState {
  return {
    text: state.text.slice(0, edit.start) + edit.insert + state.text.slice(edit.end),
    selectionStart: edit.selectionStart,
    selectionEnd: edit.selectionEnd,
  }
}

/** The smallest edit that leads from one state to another; null when nothing differs. */
export function editBetween(from: TextState, to: TextState): Edit | null {
  const { selectionStart, selectionEnd } = to
  const start = commonPrefix(from.text, to.text)
  const tail = commonSuffix(from.text, to.text, start)
  const end = from.text.length - tail
  const insert = to.text.slice(start, to.text.length - tail)
  const sameSelection = from.selectionStart === selectionStart && from.selectionEnd === selectionEnd
  if (start === end && insert === '' && sameSelection) return null
  return { start, end, insert, selectionStart, selectionEnd }
}

function commonPrefix(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let length = 0
  while (length < shorter && a[length] === b[length]) length++
  return length > 0 && isHighSurrogate(a.charCodeAt(length - 1)) ? length - 1 : length
}

function commonSuffix(a: string, b: string, prefix: number): number {
  const longest = Math.min(a.length, b.length) - prefix
  let length = 0
  while (length < longest && a[a.length - 1 - length] === b[b.length - 1 - length]) length++
  return length > 0 && isLowSurrogate(a.charCodeAt(a.length - length)) ? length - 1 : length
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

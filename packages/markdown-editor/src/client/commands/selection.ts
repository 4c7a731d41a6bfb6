import type { TextState } from './edit.ts'

/** A part of a text: offsets `[start, end)`. */
export interface Range {
  readonly start: number
  readonly end: number
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u

/**
 * What an inline command works on: the selection without the white space at its ends, or the word at the caret, or the
 * caret itself when there is no word.
 */
export function inlineRange(state: TextState): Range {
  const { text, selectionStart: start, selectionEnd: end } = state
  if (start === end) return wordAt(text, start)
  const selected = text.slice(start, end)
  const trimmed = selected.trim()
  if (trimmed === '') return { start, end }
  const from = start + selected.indexOf(trimmed)
  return { start: from, end: from + trimmed.length }
}

/** The word at an offset. Underscores count inside a word, not at its ends, where they are emphasis. */
function wordAt(text: string, caret: number): Range {
  let start = caret
  while (start > 0 && WORD_CHARACTER.test(characterBefore(text, start))) start -= characterBefore(text, start).length
  let end = caret
  while (end < text.length && WORD_CHARACTER.test(characterAt(text, end))) end += characterAt(text, end).length
  while (start < end && text[start] === '_') start++
  while (end > start && text[end - 1] === '_') end--
  return start <= caret && caret <= end && start < end ? { start, end } : { start: caret, end: caret }
}

/** The character that begins at an offset, as one code point. */
export function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** The character that ends at an offset, as one code point. */
export function characterBefore(text: string, offset: number): string {
  const pair = text.slice(Math.max(0, offset - 2), offset)
  return pair.length === 2 && (pair.codePointAt(0) ?? 0) > 0xffff ? pair : pair.slice(-1)
}

/** The lines that the selection touches; a line of which only the very start is selected does not count. */
export function lineRange(state: TextState): Range {
  const { text, selectionStart, selectionEnd } = state
  const last = selectionEnd > selectionStart && text[selectionEnd - 1] === '\n' ? selectionEnd - 1 : selectionEnd
  const start = selectionStart === 0 ? 0 : text.lastIndexOf('\n', selectionStart - 1) + 1
  const next = text.indexOf('\n', last)
  return { start, end: next === -1 ? text.length : next }
}

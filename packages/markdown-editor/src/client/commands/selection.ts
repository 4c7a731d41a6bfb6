import type { TextState } from './edit.ts'

/** A part of a text: offsets `[start, end)`. */
export interface Range {
  readonly start: number
  readonly end: number
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u

const TABLE_CELL = /(?:\\.|[^|\\])+/gs
// The marks of quotes, list items and headings at the start of a line.
const LINE_MARKS = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)]|\[[ xX]\]|#{1,6})[ \t]))*[ \t]*/

/**
 * What an inline command works on: the selection without the white space at its ends and without the marks of a quote,
 * list item or heading at its start, or the word at the caret, or the caret itself when there is no word.
 */
export function inlineRange(state: TextState): Range {
  const { text, selectionStart: start, selectionEnd: end } = state
  if (start === end) return wordAt(text, start)
  const selected = text.slice(start, end)
  const trimmed = selected.trim()
  if (trimmed === '') return { start, end }
  const from = start + selected.indexOf(trimmed)
  const to = from + trimmed.length
  const content = contentStart(text, from)
  return { start: content < to && /\S/.test(text[content] ?? '') ? content : from, end: to }
}

/** The parts of a range that have words in them, one for each line or cell of a table, without marks and white space. */
export function inlineLines(text: string, { start, end }: Range): Range[] {
  const lines: Range[] = []
  let from = start
  for (const line of text.slice(start, end).split('\n')) {
    const first = contentStart(text, from)
    const content = text.slice(first, from + line.length)
    for (const { 0: part, index } of content.matchAll(content.startsWith('|') ? TABLE_CELL : /.+/gs)) {
      const trimmed = part.trim()
      const at = first + index + part.indexOf(trimmed)
      if (/[^-*_=|:\s`~+#>^]/.test(trimmed)) lines.push({ start: at, end: at + trimmed.length })
    }
    from += line.length + 1
  }
  return lines
}

/** The offset, or the one behind the marks of its line when it is among them. */
function contentStart(text: string, offset: number): number {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const next = text.indexOf('\n', start)
  const line = text.slice(start, next === -1 ? text.length : next)
  return Math.max(offset, start + (LINE_MARKS.exec(line)?.[0].length ?? 0))
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

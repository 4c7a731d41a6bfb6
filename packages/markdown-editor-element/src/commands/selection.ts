import type { TextState } from './edit.ts'
import { headingMarkOf, readLine } from './line-grammar.ts'

/** A part of a text: offsets `[start, end)`. */
export interface Range {
  readonly start: number
  readonly end: number
}

// Accents and joiners count inside a word, an apostrophe between two letters. An emoji is no word.
const WORD = /[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_\u200c\u200d]|['’](?=[\p{L}\p{N}]))*/gu
// Longer words are cut: a word is looked for at each key.
const LONGEST_WORD = 200

const TABLE_CELL = /(?:\\.|[^|\\])+/gs
const TABLE_ROW = /^[ \t>]*\|/
// Text that marks cannot surround, such as the line below the header of a table.
const WORDLESS = /^[-*_=|:\s`~+#>^]*$/

/**
 * The range of an inline command: the selection without white space at its ends and without the
 * marks of a quote, list item or heading at its start. Without a selection, it is the word at the
 * caret, or the caret.
 */
export function inlineRange(state: TextState): Range {
  const { text, selectionStart: start, selectionEnd: end } = state
  if (start === end) return wordAt(text, start)
  const selected = text.slice(start, end)
  const trimmed = selected.trim()
  if (trimmed === '') return { start, end: start }
  const from = start + selected.indexOf(trimmed)
  const to = from + trimmed.length
  const content = contentStart(text, from)
  return { start: content < to && /\S/.test(text[content] ?? '') ? content : from, end: to }
}

/**
 * The parts of a range that contain words, one per line or table cell, without marks and white
 * space. Null if the range lies within one line and one cell.
 */
export function inlinePieces(text: string, { start, end }: Range): Range[] | null {
  const selected = text.slice(start, end)
  const isInRow = (from: number): boolean => TABLE_ROW.test(text.slice(lineStart(text, from), end))
  if (!selected.includes('\n') && !(selected.includes('|') && isInRow(start))) return null
  const pieces: Range[] = []
  let from = start
  for (const line of selected.split('\n')) {
    const first = contentStart(text, from)
    const content = text.slice(first, from + line.length)
    const isRow = from === start ? isInRow(from) : TABLE_ROW.test(line)
    for (const { 0: part, index } of content.matchAll(isRow ? TABLE_CELL : /.+/gs)) {
      const trimmed = part.trim()
      const at = first + index + part.indexOf(trimmed)
      if (!WORDLESS.test(trimmed)) pieces.push({ start: at, end: at + trimmed.length })
    }
    from += line.length + 1
  }
  return pieces
}

/** Where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

/** Where the line of an offset ends: before its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

/**
 * The lines that the selection touches; a line of which only the very start is selected does not
 * count.
 */
export function lineRange({ text, selectionStart, selectionEnd }: TextState): Range {
  const last =
    selectionEnd > selectionStart && text[selectionEnd - 1] === '\n'
      ? selectionEnd - 1
      : selectionEnd
  return { start: lineStart(text, selectionStart), end: lineEnd(text, last) }
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

/** The offset, or the end of the marks of its line if it is among them. */
function contentStart(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  let at = lineStart(text, offset)
  // Lists and quotes can be nested in one line.
  for (let { content } = readLine(text, at); content > at; content = readLine(text, at).content)
    at = content
  return Math.max(offset, at + headingMarkOf(text.slice(at, end)).length)
}

/**
 * The word at an offset. Underscores count inside a word, not at its ends, where they are emphasis.
 */
function wordAt(text: string, caret: number): Range {
  const from = Math.max(lineStart(text, caret), caret - LONGEST_WORD)
  for (const { 0: word, index } of text.slice(from, caret + LONGEST_WORD).matchAll(WORD)) {
    let start = from + index
    let end = start + word.length
    while (start < end && text[start] === '_') start++
    while (end > start && text[end - 1] === '_') end--
    if (start <= caret && caret <= end && start < end) return { start, end }
  }
  return { start: caret, end: caret }
}

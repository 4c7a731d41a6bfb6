import type { TextState } from './edit.ts'
import { headingMarkOf, type Range, readLine } from './line-grammar.ts'

// Matches a word with its combining marks, joiners and inner apostrophes, but no emoji. Underscores
// at its ends are emphasis, not part of the word.
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_\u200c\u200d]|['’](?=[\p{L}\p{N}]))*(?<!_)/gu
// The number of code units that are searched on each side of the caret after each key press.
const LONGEST_WORD = 200

const TABLE_CELL = /(?:\\.|[^|\\])+/gs
const TABLE_ROW = /^[ \t>]*\|/
// Matches text that marks cannot surround, such as the delimiter row of a table.
const WORDLESS = /^[-*_=|:\s`~+#>^]*$/

/** Returns the trimmed selection or the word at the caret, to which inline commands apply. */
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

/** Returns the parts with words, one per line or cell; null for a range in one line and cell. */
export function inlinePieces(text: string, { start, end }: Range): Range[] | null {
  const selected = text.slice(start, end)
  const isInRow = (from: number): boolean => TABLE_ROW.test(text.slice(lineStart(text, from), end))
  if (!selected.includes('\n') && !(selected.includes('|') && isInRow(start))) return null
  const pieces: Range[] = []
  let from = start
  for (const line of selected.split('\n')) {
    const first = contentStart(text, from)
    const content = text.slice(first, from + line.length)
    for (const { 0: part, index } of content.matchAll(isInRow(from) ? TABLE_CELL : /.+/gs)) {
      const trimmed = part.trim()
      const at = first + index + part.indexOf(trimmed)
      if (!WORDLESS.test(trimmed)) pieces.push({ start: at, end: at + trimmed.length })
    }
    from += line.length + 1
  }
  return pieces
}

/** Returns the offset at which the line that contains `offset` begins. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

/** Returns the offset at which the line that contains `offset` ends. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

/** Returns the selected lines. If the selection ends at the start of a line, excludes that line. */
export function lineRange({ text, selectionStart, selectionEnd }: TextState): Range {
  const excludesLast = selectionEnd > selectionStart && text[selectionEnd - 1] === '\n'
  const last = excludesLast ? selectionEnd - 1 : selectionEnd
  return { start: lineStart(text, selectionStart), end: lineEnd(text, last) }
}

/** Returns `offset`, or the end of the markers at the start of its line if that end is later. */
function contentStart(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  let at = lineStart(text, offset)
  // A line can begin with several nested list and quote markers.
  for (let { content } = readLine(text, at); content > at; content = readLine(text, at).content)
    at = content
  return Math.max(offset, at + headingMarkOf(text.slice(at, end)).length)
}

function wordAt(text: string, caret: number): Range {
  const from = Math.max(lineStart(text, caret), caret - LONGEST_WORD)
  for (const { 0: word, index } of text.slice(from, caret + LONGEST_WORD).matchAll(WORD)) {
    const start = from + index
    const end = start + word.length
    if (start <= caret && caret <= end) return { start, end }
  }
  return { start: caret, end: caret }
}

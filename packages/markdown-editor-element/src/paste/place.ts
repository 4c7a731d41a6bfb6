import { isBlankLine } from '../commands/blocks.ts'
import { codeSpanAround } from '../commands/code.ts'
import { type Edit, replacing, type TextState } from '../commands/edit.ts'
import { fencedBlocks, innerPrefix, readLine } from '../commands/line-grammar.ts'
import { isAfterOpenAddress, isInAddress, paragraphRange } from '../commands/link-spans.ts'
import { lineEnd, lineStart } from '../commands/selection.ts'

/** Returns whether the selection is in code or in the address of a link. */
export function isLiteral(state: TextState): boolean {
  const { text, selectionStart: start, selectionEnd: end } = state
  const isInFence = fencedBlocks(text).some((block) => {
    const last = block.to === block.end ? block.end : block.end - 1
    return block.start < start && end <= last
  })
  const range = { start, end }
  const span = codeSpanAround(text, range, paragraphRange(state))
  return (
    isInFence ||
    (span !== null && (start === end || (span.start <= start && end <= span.end))) ||
    isAfterOpenAddress(text, start) ||
    isInAddress(text, range)
  )
}

/** Returns whether the selection is in the label of a link: `[label](url)` or `[label][id]`. */
export function isInLabel(state: TextState): boolean {
  const [before, after] = aroundInLine(state)
  const open = before.lastIndexOf('[')
  return open !== -1 && !before.slice(open).includes(']') && /^[^[\]]*\](?:\(|\[)/.test(after)
}

/** Returns whether the selection is in a table row, between its pipes. */
export function isInCell(state: TextState): boolean {
  const [before, after] = aroundInLine(state)
  return /^[ \t>]*\|/.test(before) && after.includes('|')
}

function aroundInLine({ text, selectionStart, selectionEnd }: TextState): [string, string] {
  const before = text.slice(lineStart(text, selectionStart), selectionStart)
  return [before, text.slice(selectionEnd, lineEnd(text, selectionEnd))]
}

/** Inserts Markdown into a line. Its further lines stay in the quote or list item. */
export function placeInline(markdown: string, state: TextState): Edit {
  const { text, selectionStart: start, selectionEnd: end } = state
  const before = text.slice(lineStart(text, start), start)
  return replacing({ start, end }, prefixLines(markdown, innerPrefix(readLine(before, 0))))
}

/** Inserts blocks with empty lines around them. A pasted list replaces an empty list item. */
export function placeBlocks(markdown: string, state: TextState): Edit {
  const { text, selectionStart, selectionEnd: end } = state
  const at = lineStart(text, selectionStart)
  const before = text.slice(at, selectionStart)
  const line = readLine(before, 0)
  const isFresh = before.slice(line.content).trim() === ''
  const item = readLine(markdown, 0)
  const replacesItem = isFresh && line.bullet !== '' && item.bullet !== '' && item.mark === 0
  const prefix = replacesItem ? before.slice(0, line.mark) : innerPrefix(line)
  const blank = prefix.trimEnd()
  let start = replacesItem ? at + line.mark : selectionStart
  let lead = isFresh ? '' : `\n${blank}\n${prefix}`
  if (isFresh && line.bullet === '') {
    start = at
    lead = isBlankLine(text, at - 1) ? prefix : `${blank}\n${prefix}`
  }
  const edit = replacing({ start, end }, lead + prefixLines(markdown, prefix))
  return { ...edit, insert: edit.insert + trailOf(text, end, prefix) }
}

/** Returns the line breaks and prefixes between inserted blocks and the text after them. */
function trailOf(text: string, end: number, prefix: string): string {
  const next = lineEnd(text, end)
  const blank = `\n${prefix.trimEnd()}`
  if (text.slice(end, next).trim() !== '') return `${blank}\n${prefix}`
  return isBlankLine(text, next + 1) ? '' : blank
}

/** Adds a prefix to all lines but the first, without trailing spaces on empty lines. */
function prefixLines(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? line : line === '' ? prefix.trimEnd() : prefix + line))
    .join('\n')
}

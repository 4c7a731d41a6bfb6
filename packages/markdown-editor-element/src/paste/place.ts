import type { Edit, TextState } from '../commands/edit.ts'
import { containerOf, fencedBlocks, listMarkOf } from '../commands/line-grammar.ts'
import { CODE } from '../commands/marks.ts'
import { lineStart } from '../commands/selection.ts'

/**
 * Returns whether Markdown has no meaning at the selection: in a fenced code block, a code span or
 * the destination of a link.
 */
export function isLiteral(state: TextState): boolean {
  return isInFence(state) || isInSpan(state) || isInDestination(state)
}

/** Returns whether the selection is in the label of a link that has a destination. */
export function isInLabel({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { before, after } = aroundInLine(text, selectionStart, selectionEnd)
  const open = before.lastIndexOf('[')
  return open !== -1 && !before.slice(open).includes(']') && /^[^[\]]*\](?:\(|\[)/.test(after)
}

/** Returns whether the selection is in a table row, between its pipes. */
export function isInCell({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { before, after } = aroundInLine(text, selectionStart, selectionEnd)
  return /^[ \t>]*\|/.test(before) && after.includes('|')
}

function isInFence({ text, selectionStart, selectionEnd }: TextState): boolean {
  return fencedBlocks(text).some((block) => {
    const isOpen = block.to === block.end
    const inside =
      selectionStart >= block.from &&
      selectionEnd <= (isOpen ? block.end : Math.max(block.from, block.to))
    // The line of the opening fence contains the language.
    return inside || (selectionStart > block.start && selectionEnd < block.from)
  })
}

function isInSpan({ text, selectionStart, selectionEnd }: TextState): boolean {
  const from = Math.max(0, text.lastIndexOf('\n\n', selectionStart - 1) + 1)
  const until = text.indexOf('\n\n', selectionEnd)
  const paragraph = text.slice(from, until === -1 ? text.length : until)
  for (const { 0: span, index, groups } of paragraph.matchAll(CODE)) {
    const fence = groups?.['fence']?.length
    if (fence === undefined) continue
    const start = from + index + fence
    const end = from + index + span.length - fence
    if (start <= selectionStart && selectionEnd <= end) return true
  }
  return false
}

function isInDestination({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { before, after } = aroundInLine(text, selectionStart, selectionEnd)
  return /\]\([^\s()]*$/.test(before) && /^[^\s()]*[)\s]/.test(`${after}\n`)
}

function aroundInLine(
  text: string,
  start: number,
  end: number,
): { readonly before: string; readonly after: string } {
  const next = text.indexOf('\n', end)
  return {
    before: text.slice(lineStart(text, start), start),
    after: text.slice(end, next === -1 ? text.length : next),
  }
}

/**
 * Returns the edit that inserts Markdown into a line. Further lines of the Markdown stay in the
 * quote or list item of that line.
 */
export function placeInline(markdown: string, state: TextState): Edit {
  const { text, selectionStart: start, selectionEnd: end } = state
  const before = text.slice(lineStart(text, start), start)
  const insert = prefixLines(markdown, prefixOf(before).inner)
  return { start, end, insert, ...caretAt(start + insert.length) }
}

/**
 * Returns the edit that inserts blocks with empty lines around them, in the same quote or list
 * item. A pasted list replaces an empty list item.
 */
export function placeBlocks(markdown: string, state: TextState): Edit {
  const { text, selectionStart, selectionEnd: end } = state
  const line = lineStart(text, selectionStart)
  const before = text.slice(line, selectionStart)
  const { container, mark, inner } = prefixOf(before)
  const isFresh = before.slice(container.length + mark.length).trim() === ''
  const replacesItem = isFresh && mark !== '' && listMarkOf(markdown) !== ''
  const start = replacesItem ? line + container.length : selectionStart
  const prefix = replacesItem ? container : inner
  const blank = `\n${prefix.trimEnd()}`
  const lead = isFresh
    ? mark === '' && hasTextBefore(text, line)
      ? `${blank.slice(1)}\n${prefix}`
      : ''
    : `${blank}\n${prefix}`
  const from = isFresh && mark === '' ? line : start
  const first = isFresh && mark === '' && lead === '' ? prefix : ''
  const content = lead + first + prefixLines(markdown, prefix)
  const insert = content + trailOf(text, end, prefix)
  return { start: from, end, insert, ...caretAt(from + content.length) }
}

/** Returns the line breaks and prefixes between inserted blocks and the text after them. */
function trailOf(text: string, end: number, prefix: string): string {
  const next = text.indexOf('\n', end)
  const rest = text.slice(end, next === -1 ? text.length : next)
  if (rest.trim() !== '') return `\n${prefix.trimEnd()}\n${prefix}`
  if (next === -1) return ''
  const after = text.indexOf('\n', next + 1)
  const following = text.slice(next + 1, after === -1 ? text.length : after)
  return following.replace(/^[ \t>]*/, '') === '' ? '' : `\n${prefix.trimEnd()}`
}

function hasTextBefore(text: string, line: number): boolean {
  if (line === 0) return false
  return text.slice(lineStart(text, line - 1), line - 1).replace(/^[ \t>]*/, '') !== ''
}

/**
 * Splits the start of a line into its quote marks and indentation (`container`) and its list mark
 * (`mark`). `inner` is the prefix of further lines in the same quote or list item.
 */
function prefixOf(before: string): {
  readonly container: string
  readonly mark: string
  readonly inner: string
} {
  const container = containerOf(before)
  const mark = listMarkOf(before.slice(container.length))
  return {
    container,
    mark,
    inner: container + ' '.repeat(mark.replace(/\[[ xX]\]\s*$/, '').length),
  }
}

/**
 * Adds a prefix to all lines of a text except the first. On empty lines, the prefix has no trailing
 * spaces.
 */
function prefixLines(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? line : line === '' ? prefix.trimEnd() : prefix + line))
    .join('\n')
}

function caretAt(offset: number): Pick<Edit, 'selectionStart' | 'selectionEnd'> {
  return { selectionStart: offset, selectionEnd: offset }
}

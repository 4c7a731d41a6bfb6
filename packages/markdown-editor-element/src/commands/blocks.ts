import type { Command, Edit, TextState } from './edit.ts'
import {
  containerOf,
  fencedBlocks,
  headingMarkOf,
  isDelimiterRow,
  listMarkOf,
} from './line-grammar.ts'
import { lineRange, type Range } from './selection.ts'

const TABLE = ['| Header | Header |', '| ------ | ------ |', '| Cell   | Cell   |']
const SUMMARY = 'Click to expand'

/** Inserts a thematic break after the current block and puts the caret after it. */
export const horizontalRule: Command = (state) => {
  const edit = insertBlock(state, ['---'])
  const caret = edit.start + edit.insert.length
  return { ...edit, selectionStart: caret, selectionEnd: caret }
}

/** A small table behind the current block, its first header selected. */
export const table: Command = (state) => selectIn(insertBlock(state, TABLE), 'Header')

/**
 * A fold-out block: around the selected lines and the rest of a table or code block, or with a
 * placeholder behind the current block, also when the summary of another is selected. The summary
 * is selected.
 */
export const details: Command = (state) => {
  const { text } = state
  const { start, end } = wholeLines(state)
  const lines = text.slice(start, end).split('\n')
  const open = ['<details>', `<summary>${SUMMARY}</summary>`, '']
  const close = ['', '</details>']
  const single = lineRange(state)
  const inSection = /^[ \t>]*<(?:details|summary)\b/i.test(text.slice(single.start, single.end))
  if (state.selectionStart === state.selectionEnd || inSection) {
    return selectIn(insertBlock(state, [...open, 'Content here', ...close]), SUMMARY)
  }
  const container = containerOf(lines[0] ?? '')
  const own = (line: string): string => (container + line).trimEnd()
  const before = isBlankLine(text, start - 1) ? [] : [own('')]
  const after = isBlankLine(text, end + 1) ? [] : [own('')]
  const insert = [...before, ...open.map(own), ...lines, ...close.map(own), ...after].join('\n')
  return selectIn({ start, end, insert, selectionStart: start, selectionEnd: start }, SUMMARY)
}

/**
 * Puts lines behind the block of the last selected line, or in place of an empty line, with an
 * empty line before and after, and inside the same quote or list item.
 */
export function insertBlock(state: TextState, block: readonly string[]): Edit {
  const { text } = state
  const selected = lineRange(state)
  const { start, end } = blockAt(text, lastLineStart(text, selected))
  const [line = ''] = text.slice(start, end).split('\n')
  const container = containerOf(line)
  const replaces =
    selected.start === start &&
    selected.end === end &&
    line === container &&
    end - start === line.length
  const inner = container + ' '.repeat(listMarkOf(line.slice(container.length)).length)
  const blank = inner.trimEnd()
  const before = replaces ? (isBlankLine(text, start - 1) ? [] : [blank]) : ['', blank]
  const after = end === text.length ? ['', ''] : isBlankLine(text, end + 1) ? [] : [blank]
  const insert = [...before, ...block.map((each) => (inner + each).trimEnd()), ...after].join('\n')
  const from = replaces ? start : end
  return { start: from, end, insert, selectionStart: from, selectionEnd: from }
}

export function selectIn(edit: Edit, wanted: string): Edit {
  const from = edit.start + edit.insert.indexOf(wanted)
  return { ...edit, selectionStart: from, selectionEnd: from + wanted.length }
}

/** The selected lines, with the whole of the blocks that they would cut. */
function wholeLines(state: TextState): Range {
  const { start, end } = lineRange(state)
  const first = wholeBlockAt(state.text, start)
  const last = wholeBlockAt(state.text, lastLineStart(state.text, { start, end }))
  return { start: Math.min(first.start, last.start), end: Math.max(first.end, last.end) }
}

function lastLineStart(text: string, { end }: Range): number {
  return end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
}

/** True when there is no line at an offset, or one with nothing but quote marks and white space. */
function isBlankLine(text: string, offset: number): boolean {
  if (offset < 0 || offset > text.length) return true
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const next = text.indexOf('\n', offset)
  const line = text.slice(start, next === -1 ? text.length : next)
  return line === containerOf(line)
}

interface Line extends Range {
  readonly text: string
}

const OPENING = /^[ \t>]*<details\b/i
const CLOSING = /^[ \t>]*<\/details>/i

/**
 * The lines around one line that a block must not come between: a fenced code block, a table, or
 * the whole of a fold-out section when the line is of its head or its end; else the line alone.
 *
 * @param offset where the line begins
 */
function wholeBlockAt(text: string, offset: number): Range {
  const lines = linesOf(text)
  const index = lines.findLastIndex(({ start }) => start <= offset)
  const line = lines[index] ?? { start: offset, end: offset }
  const fences = fencedBlocks(text)
  const whole =
    fences.find((block) => isIn(line, block)) ??
    detailsAt(lines, index, fences) ??
    tableAt(lines, index)
  return whole ?? { start: line.start, end: line.end }
}

/**
 * The paragraph, list item, heading or blank line that a line is of, or what {@link wholeBlockAt}
 * gives.
 */
export function blockAt(text: string, offset: number): Range {
  const lines = linesOf(text)
  const index = lines.findLastIndex(({ start }) => start <= offset)
  const whole = wholeBlockAt(text, offset)
  const line = lines[index]
  if (line === undefined || whole.start !== line.start || whole.end !== line.end) return whole
  return rangeOf(lines, firstOf(lines, index), lastOf(lines, index))
}

function linesOf(text: string): Line[] {
  let start = 0
  return text.split('\n').map((line) => {
    const from = start
    start += line.length + 1
    return { start: from, end: from + line.length, text: line }
  })
}

function rangeOf(lines: readonly Line[], first: number, last: number): Range {
  return { start: lines[first]?.start ?? 0, end: lines[last]?.end ?? 0 }
}

function isIn(line: Range, block: Range): boolean {
  return block.start <= line.start && line.end <= block.end
}

/** The outermost fold-out section of whose head, up to a blank line, or end a line is. */
function detailsAt(lines: readonly Line[], index: number, fences: readonly Range[]): Range | null {
  const open: number[] = []
  let found: Range | null = null
  let fence = 0
  for (const [at, line] of lines.entries()) {
    while ((fences[fence]?.end ?? line.start) < line.start) fence++
    if (isIn(line, fences[fence] ?? { start: line.end, end: line.start })) continue
    if (OPENING.test(line.text)) open.push(at)
    if (!CLOSING.test(line.text)) continue
    const first = open.pop()
    if (first === undefined || index < first || index > at) continue
    const isHead = lines.slice(first, index + 1).every(({ text }) => !isBlank(text))
    if (index === at || isHead) found = rangeOf(lines, first, at)
  }
  return found
}

function tableAt(lines: readonly Line[], index: number): Range | null {
  const first = firstOf(lines, index)
  const last = lastOf(lines, index)
  for (let at = first + 1; at <= last; at++) {
    const text = contentOf(lines[at]?.text ?? '')
    if (text.includes('|') && isDelimiterRow(text.trim()))
      return index < at - 1 ? null : rangeOf(lines, at - 1, last)
  }
  return null
}

function firstOf(lines: readonly Line[], index: number): number {
  let first = index
  while (first > 0 && continues(lines[first - 1], lines[first])) first--
  return first
}

function lastOf(lines: readonly Line[], index: number): number {
  let last = index
  while (continues(lines[last], lines[last + 1])) last++
  return last
}

/** True when a line continues the paragraph or table of the previous line. */
function continues(before: Line | undefined, line: Line | undefined): boolean {
  if (before === undefined || line === undefined || isBlank(before.text) || isBlank(line.text))
    return false
  if (headingMarkOf(contentOf(before.text)) !== '' || quotesOf(before.text) !== quotesOf(line.text))
    return false
  const content = contentOf(line.text)
  return (
    listMarkOf(content) === '' && headingMarkOf(content) === '' && !/^(?:`{3}|~{3}|<)/.test(content)
  )
}

function contentOf(line: string): string {
  return line.slice(containerOf(line).length)
}

function isBlank(line: string): boolean {
  return contentOf(line) === ''
}

function quotesOf(line: string): string {
  return containerOf(line).replace(/[^>]/g, '')
}

import type { Command, Edit, TextState } from './edit.ts'
import {
  containerOf,
  fencedBlocks,
  headingMarkOf,
  isBlank,
  isDelimiterRow,
  type Line,
  listMarkOf,
  readLine,
  readLines,
} from './line-grammar.ts'
import { depthOf } from './lists.ts'
import { lineRange, lineStart, type Range } from './selection.ts'

const TABLE = ['| Header | Header |', '| ------ | ------ |', '| Cell   | Cell   |']
const SUMMARY = 'Click to expand'

/** Inserts a thematic break after the current block and puts the caret after it. */
export const horizontalRule: Command = (state) => {
  const edit = insertBlock(state, ['---'])
  const caret = edit.start + edit.insert.length
  return { ...edit, selectionStart: caret, selectionEnd: caret }
}

/** Inserts a small table after the current block and selects its first header. */
export const table: Command = (state) => selectIn(insertBlock(state, TABLE), 'Header')

/**
 * Wraps the selected lines in a fold-out block, with the whole of a table or code block that they
 * cut. Without selected lines, or if the summary of another fold-out block is selected, inserts one
 * with a placeholder after the current block. The summary is selected.
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
 * Inserts lines after the block of the last selected line, or in place of an empty line, with an
 * empty line before and after, and inside the same quote or list item.
 */
export function insertBlock(state: TextState, block: readonly string[]): Edit {
  const { text } = state
  const selected = lineRange(state)
  const { start, end } = blockAt(text, lineStart(text, selected.end))
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

/** Selects the first occurrence of a text in what an edit inserts. */
export function selectIn(edit: Edit, wanted: string): Edit {
  const from = edit.start + edit.insert.indexOf(wanted)
  return { ...edit, selectionStart: from, selectionEnd: from + wanted.length }
}

/** The selected lines, with the whole of the blocks that they would cut. */
function wholeLines(state: TextState): Range {
  const { text } = state
  const selected = lineRange(state)
  const lines = [...readLines(text, 0)]
  const fences = fencedBlocks(text)
  const ranges = [selected.start, lineStart(text, selected.end)].map((offset) => {
    const index = lineIndex(lines, offset)
    return wholeBlockAt(text, lines, index, fences) ?? rangeOf(lines, index, index)
  })
  return {
    start: Math.min(...ranges.map(({ start }) => start)),
    end: Math.max(...ranges.map(({ end }) => end)),
  }
}

/** True if there is no line at an offset, or one with only quote marks and white space. */
function isBlankLine(text: string, offset: number): boolean {
  if (offset < 0 || offset > text.length) return true
  return isBlank(readLine(text, lineStart(text, offset)))
}

/** The whole block at an offset, else the paragraph, list item, heading or blank line. */
export function blockAt(text: string, offset: number): Range {
  const lines = [...readLines(text, 0)]
  const index = lineIndex(lines, offset)
  return (
    wholeBlockAt(text, lines, index, fencedBlocks(text)) ??
    rangeOf(lines, firstOf(text, lines, index), lastOf(text, lines, index))
  )
}

function lineIndex(lines: readonly Line[], offset: number): number {
  return lines.findLastIndex(({ start }) => start <= offset)
}

function rangeOf(lines: readonly Line[], first: number, last: number): Range {
  return { start: lines[first]?.start ?? 0, end: lines[last]?.end ?? 0 }
}

/**
 * A block that must not be cut: a fenced code block, a fold-out section whose head or end contains
 * the line, or a table.
 */
function wholeBlockAt(
  text: string,
  lines: readonly Line[],
  index: number,
  fences: readonly Range[],
): Range | null {
  const { start, end } = rangeOf(lines, index, index)
  const isAround = (block: Range): boolean => block.start <= start && end <= block.end
  return (
    fences.find(isAround) ??
    detailsAt(text, lines, index, fences) ??
    tableAround(text, lines, index)
  )
}

const OPENING = /^<details\b/i
const CLOSING = /^<\/details>/i

function detailsAt(
  text: string,
  lines: readonly Line[],
  index: number,
  fences: readonly Range[],
): Range | null {
  const open: number[] = []
  let found: Range | null = null
  let fence = 0
  for (const [at, line] of lines.entries()) {
    while ((fences[fence]?.end ?? line.start) < line.start) fence++
    const code = fences[fence]
    if (code !== undefined && code.start <= line.start) continue
    const content = contentOf(text, line)
    if (OPENING.test(content)) open.push(at)
    if (!CLOSING.test(content)) continue
    const first = open.pop()
    if (first === undefined || index < first || index > at) continue
    const isHead = !lines.slice(first, index + 1).some(isBlank)
    if (index === at || isHead) found = rangeOf(lines, first, at)
  }
  return found
}

function tableAround(text: string, lines: readonly Line[], index: number): Range | null {
  const last = lastOf(text, lines, index)
  for (let at = firstOf(text, lines, index) + 1; at <= last; at++) {
    const line = lines[at]
    const content = line === undefined ? '' : contentOf(text, line)
    if (content.includes('|') && isDelimiterRow(content.trim()))
      return index < at - 1 ? null : rangeOf(lines, at - 1, last)
  }
  return null
}

function firstOf(text: string, lines: readonly Line[], index: number): number {
  let first = index
  while (continues(text, lines[first - 1], lines[first])) first--
  return first
}

function lastOf(text: string, lines: readonly Line[], index: number): number {
  let last = index
  while (continues(text, lines[last], lines[last + 1])) last++
  return last
}

/** True if a line continues the paragraph or table of the previous line. */
function continues(text: string, before: Line | undefined, line: Line | undefined): boolean {
  if (before === undefined || line === undefined || isBlank(before) || isBlank(line)) return false
  if (
    headingMarkOf(contentOf(text, before)) !== '' ||
    depthOf(before.quote) !== depthOf(line.quote)
  )
    return false
  const content = contentOf(text, line)
  return line.bullet === '' && headingMarkOf(content) === '' && !/^(?:`{3}|~{3}|<)/.test(content)
}

function contentOf(text: string, { mark, end }: Line): string {
  return text.slice(mark, end)
}

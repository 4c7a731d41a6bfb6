import { withFences } from './code.ts'
import type { Command, Edit, TextState } from './edit.ts'
import {
  containerOf,
  fencedBlocks,
  headingMarkOf,
  isBlank,
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
 * Wraps the selected lines in a `<details>` section. Without a selection, or if the selected lines
 * begin with `<details>` or `<summary>`, inserts a section with placeholder content after the
 * current block. Selects the text of the summary.
 */
export const details: Command = (state) => {
  const { text } = state
  const open = ['<details>', `<summary>${SUMMARY}</summary>`, '']
  const close = ['', '</details>']
  const selected = lineRange(state)
  const inSection = /^[ \t>]*<(?:details|summary)\b/i.test(text.slice(selected.start, selected.end))
  if (state.selectionStart === state.selectionEnd || inSection)
    return selectIn(insertBlock(state, [...open, 'Content here', ...close]), SUMMARY)
  const { start, end } = withFences(text, selected)
  const lines = text.slice(start, end)
  const container = containerOf(lines)
  const own = (line: string): string => (container + line).trimEnd()
  const before = isBlankLine(text, start - 1) ? [] : [own('')]
  const after = isBlankLine(text, end + 1) ? [] : [own('')]
  const insert = [...before, ...open.map(own), lines, ...close.map(own), ...after].join('\n')
  return selectIn({ start, end, insert, selectionStart: start, selectionEnd: start }, SUMMARY)
}

/**
 * Inserts lines as a new block after the block that contains the last selected line. If the caret
 * is on an empty line, replaces that line. Adds blank lines around the new block, and the prefix of
 * the quote or list item that contains it.
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

/**
 * Returns the edit with the selection set to the first occurrence of `wanted` in the inserted text.
 */
export function selectIn(edit: Edit, wanted: string): Edit {
  const from = edit.start + edit.insert.indexOf(wanted)
  return { ...edit, selectionStart: from, selectionEnd: from + wanted.length }
}

/**
 * Returns whether the line at an offset contains only quote marks and white space. Also true if
 * there is no such line.
 */
function isBlankLine(text: string, offset: number): boolean {
  if (offset < 0 || offset > text.length) return true
  return isBlank(readLine(text, lineStart(text, offset)))
}

/**
 * Returns the range of the fenced code block at an offset. Outside code, returns the range of the
 * paragraph, table, list item or blank line.
 */
export function blockAt(text: string, offset: number): Range {
  const fence = fencedBlocks(text).find(({ start, end }) => start <= offset && offset <= end)
  if (fence !== undefined) return fence
  const lines = [...readLines(text, 0)]
  const index = lines.findLastIndex(({ start }) => start <= offset)
  const first = lines[firstOf(text, lines, index)]
  const last = lines[lastOf(text, lines, index)]
  return { start: first?.start ?? 0, end: last?.end ?? text.length }
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

import type { Command, Edit, TextState } from './edit.ts'
import { containerOf, listMarkOf } from './lines.ts'
import { lineRange } from './selection.ts'

const TABLE = ['| Header | Header |', '| ------ | ------ |', '| Cell   | Cell   |']
const SUMMARY = 'Click to expand'

/** A thematic break behind the current line; the caret goes behind it. */
export const horizontalRule: Command = (state) => {
  const edit = insertBlock(state, ['---'])
  const caret = edit.start + edit.insert.length
  return { ...edit, selectionStart: caret, selectionEnd: caret }
}

/** A small table behind the current line, its first header selected. */
export const table: Command = (state) => selectIn(insertBlock(state, TABLE), 'Header')

/** A fold-out block: around the selected lines, or with a placeholder behind the current line. The summary is selected. */
export const details: Command = (state) => {
  const { start, end } = lineRange(state)
  const lines = state.text.slice(start, end).split('\n')
  const open = ['<details>', `<summary>${SUMMARY}</summary>`, '']
  const close = ['', '</details>']
  if (state.selectionStart === state.selectionEnd) {
    return selectIn(insertBlock(state, [...open, 'Content here', ...close]), SUMMARY)
  }
  const container = containerOf(lines[0] ?? '')
  const own = (line: string): string => (container + line).trimEnd()
  const insert = [...open.map(own), ...lines, ...close.map(own)].join('\n')
  return selectIn({ start, end, insert, selectionStart: start, selectionEnd: start }, SUMMARY)
}

/**
 * Puts lines behind the last selected line, or in place of an empty one, with an empty line before and after, and
 * inside the same quote or list item.
 */
export function insertBlock(state: TextState, block: readonly string[]): Edit {
  const { text } = state
  const { start, end } = lineRange(state)
  const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, end)
  const container = containerOf(line)
  const replaces = start === end - line.length && line === container
  const inner = container + ' '.repeat(listMarkOf(line.slice(container.length)).length)
  const blank = inner.trimEnd()
  const before = replaces ? (isBlankLine(text, start - 1) ? [] : [blank]) : [line, blank]
  const after = end === text.length ? ['', ''] : isBlankLine(text, end + 1) ? [] : [blank]
  const insert = [...before, ...block.map((each) => (inner + each).trimEnd()), ...after].join('\n')
  const from = end - line.length
  return { start: from, end, insert, selectionStart: from, selectionEnd: from }
}

/** Selects the first occurrence of a text in what an edit inserts. */
export function selectIn(edit: Edit, wanted: string): Edit {
  const from = edit.start + edit.insert.indexOf(wanted)
  return { ...edit, selectionStart: from, selectionEnd: from + wanted.length }
}

/** True when there is no line at an offset, or one with nothing but quote marks and white space. */
function isBlankLine(text: string, offset: number): boolean {
  if (offset < 0 || offset > text.length) return true
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const next = text.indexOf('\n', offset)
  const line = text.slice(start, next === -1 ? text.length : next)
  return line === containerOf(line)
}

import { containerOf, listMarkOf } from '@quillgate/markdown/grammar'
import { blockAt, wholeBlockAt } from './block-range.ts'
import type { Command, Edit, TextState } from './edit.ts'
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

/** Selects the first occurrence of a text in what an edit inserts. */
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

/** Where the last line of a range of lines begins. */
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

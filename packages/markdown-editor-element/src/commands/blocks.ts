import { withFences } from './code.ts'
import { type Command, type Edit, replaceRange, replacing, type TextState } from './edit.ts'
import {
  containerOf,
  fencedBlocks,
  headingMarkOf,
  innerPrefix,
  isBlank,
  type Line,
  type Range,
  readLine,
  readLines,
} from './line-grammar.ts'
import { depthOf } from './lists.ts'
import { lineEnd, lineRange, lineStart } from './selection.ts'

const TABLE = ['| Header | Header |', '| ------ | ------ |', '| Cell   | Cell   |']
const SUMMARY = 'Click to expand'
// Match blocks that cannot follow the box of a task.
const NOT_IN_TASK = /^(?:\||---|<details>)/

/** Inserts a thematic break after the current block. */
export const horizontalRule: Command = (state) => insertBlock(state, ['---'])

/** Inserts a small table after the current block and selects its first header. */
export const table: Command = (state) => selectIn(insertBlock(state, TABLE), 'Header')

/** Wraps the selected lines in a collapsible section, or inserts a new section. */
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
  return selectIn(replacing({ start, end }, insert), SUMMARY)
}

/** Inserts lines as a block at or below the selection. Puts the caret on a line below it. */
export function insertBlock(state: TextState, block: readonly string[]): Edit {
  const { text } = state
  const selected = lineRange(state)
  const { start, end } = blockAt(text, lineStart(text, selected.end))
  const line = readLine(text, start)
  const isEmpty = selected.start === start && selected.end === end && line.content === end
  const replaces = isEmpty && line.bullet === ''
  const isItem = isEmpty && line.gap !== ''
  const inner = innerPrefix(line)
  const blank = inner.trimEnd()
  const isFirst = isItem || (replaces && isBlankLine(text, start - 1))
  const before = isFirst ? [] : replaces ? [blank] : ['', blank]
  const lines = block.map((each) => (inner + each).trimEnd())
  const insert = [...before, ...lines, blank, inner].join('\n').slice(isItem ? inner.length : 0)
  const isLast = !/\S/.test(text.slice(end))
  const box = isItem && NOT_IN_TASK.test(block[0] ?? '') ? line.task.length : 0
  const range = { start: replaces ? start : end - box, end: isLast ? text.length : end }
  const edit = replacing(range, insert)
  return isBlankLine(text, end + 1) ? edit : { ...edit, insert: `${insert}\n${blank}` }
}

/** Selects the first occurrence of `wanted` in the inserted text. */
export function selectIn(edit: Edit, wanted: string): Edit {
  const from = edit.start + edit.insert.indexOf(wanted)
  return { ...edit, selectionStart: from, selectionEnd: from + wanted.length }
}

/** Returns whether the line at an offset has only `>` and white space, or does not exist. */
export function isBlankLine(text: string, offset: number): boolean {
  if (offset < 0 || offset > text.length) return true
  return isBlank(readLine(text, lineStart(text, offset)))
}

/** Returns the range of the code block, paragraph, table, list item or blank line at an offset. */
export function blockAt(text: string, offset: number): Range {
  const fence = fencedBlocks(text).find(({ start, end }) => start <= offset && offset <= end)
  if (fence !== undefined) return fence
  const lines = [...readLines(text, 0)]
  let first = lines.findLastIndex(({ start }) => start <= offset)
  let last = first
  while (continues(text, lines[first - 1], lines[first])) first--
  while (continues(text, lines[last], lines[last + 1])) last++
  return { start: lines[first]?.start ?? 0, end: lines[last]?.end ?? text.length }
}

function continues(text: string, before: Line | undefined, line: Line | undefined): boolean {
  if (before === undefined || line === undefined || isBlank(before) || isBlank(line)) return false
  const [above, content] = [text.slice(before.mark, before.end), text.slice(line.mark, line.end)]
  return (
    line.bullet === '' &&
    depthOf(before.quote) === depthOf(line.quote) &&
    headingMarkOf(above) === '' &&
    headingMarkOf(content) === '' &&
    !/^(?:`{3}|~{3}|<)/.test(content)
  )
}

/** Removes an image or a placeholder, and the white space that separates it from the text. */
export function removeMedia(state: TextState, { start, end }: Range): Edit | null {
  const { text } = state
  const from = lineStart(text, start)
  const to = lineEnd(text, end)
  const before = readLine(text.slice(from, start), 0)
  if (!isBlankLine(text.slice(end, to), 0)) return removeFromLine(state, start, end)
  const isLast = to === text.length
  const blank = /^(?:\n[ \t>]*(?=\n|$))*/.exec(text.slice(to))?.[0] ?? ''
  const belowEnd = to + blank.length
  const isAlone = isBlank(before)
  const isItem = before.bullet !== '' && before.content === before.end
  if (isAlone && from > 0 && (isLast || blank !== '') && isBlankLine(text, from - 1)) {
    const above = lineStart(text, from - 1)
    if (belowEnd < text.length) return replaceRange(state, above, lineStart(text, belowEnd))
    return replaceRange(state, Math.max(0, above - 1), belowEnd)
  }
  if (blank !== '' && (isItem || (isAlone && from === 0))) {
    const next = Math.min(belowEnd + 1, text.length)
    const indent = /^[ \t>]*/.exec(text.slice(next, lineEnd(text, next)))?.[0] ?? ''
    return replaceRange(state, start, next + indent.length)
  }
  if (isAlone && !isLast) return replaceRange(state, from, to + 1)
  return removeFromLine(state, start, end)
}

/** Removes a placeholder within a line, together with the extra space next to it. */
function removeFromLine(state: TextState, start: number, end: number): Edit | null {
  const { text } = state
  const [before = '\n', after = '\n'] = [text[start - 1], text[end]]
  if (before === ' ' && /\S/.test(text[start - 2] ?? ' ') && /\s/.test(after))
    return replaceRange(state, start - 1, end)
  return replaceRange(state, start, before === '\n' && after === ' ' ? end + 1 : end)
}

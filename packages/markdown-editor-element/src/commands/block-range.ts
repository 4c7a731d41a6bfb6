import {
  containerOf,
  fencedBlocks,
  headingMarkOf,
  isDelimiterRow,
  listMarkOf,
} from '@quillgate/markdown/grammar'
import type { Range } from './selection.ts'

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
export function wholeBlockAt(text: string, offset: number): Range {
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

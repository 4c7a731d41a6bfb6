/** A range of a text: the offsets `[start, end)`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A line, split into the markers at its start and its content. Excludes the line break. */
export interface Line extends Range {
  /** The `>` markers of block quotes, with the white space between them. */
  readonly quote: string
  readonly indent: string
  /** The width of the indentation in columns. */
  readonly column: number
  /** The bullet, or the number with its period or parenthesis; `''` if no list item begins. */
  readonly bullet: string
  readonly gap: string
  /** The box of a task, with the white space after it. */
  readonly task: string
  /** The offset after the quote markers and the indentation. */
  readonly mark: number
  /** The offset after all markers. */
  readonly content: number
  /** The column that the next lines must reach to belong to this list item. */
  readonly inner: number
}

/** A fenced code block. Without a closing fence, it ends with its list item or with the text. */
export interface FencedBlock extends Range {
  /** The offset after the line of the opening fence. */
  readonly from: number
  /** The offset of the line break before the closing fence; `end` if there is no such fence. */
  readonly to: number
}

/** The alignment of a table column; null for the default. */
export type Alignment = 'left' | 'center' | 'right' | null

const MARKS =
  /^((?:[ \t]*>[ \t]?)*)([ \t]*)(?:([-*+]|\d{1,9}[.)])([ \t]+|$)(\[[ xX]\](?:[ \t]+|$))?)?/
const QUOTE_MARK = /^ {0,3}> ?/
const HEADING_MARK = /^#{1,6}(?:[ \t]+|$)/
/** Matches the content of a thematic break (https://spec.commonmark.org/0.31.2/#thematic-breaks). */
export const THEMATIC_BREAK: RegExp = /^([-*_])[ \t]*(?:\1[ \t]*){2,}$/
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks, after any `>` and indentation
const FENCE = /^(?:[ \t]*>)*[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/s
const LIST_MARKS = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/
// https://spec.commonmark.org/0.31.2/#html-blocks, kinds 1 and 2, which can contain blank lines
const RAW_HTML =
  /^[ \t>*+-]*<(?:!--.*?(?:-->|$(?!.))|(pre|script|style|textarea)(?=[\s>]).*?(?:<\/\1>|$(?!.)))/gims
/** Matches the content of a delimiter row (https://github.github.com/gfm/#delimiter-row). */
export const DELIMITER_ROW: RegExp = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/
const CELL_END = /(?<!\\)\|/g

/** Reads the line that begins at an offset. */
export function readLine(text: string, start: number): Line {
  const lineBreak = text.indexOf('\n', start)
  const end = lineBreak === -1 ? text.length : lineBreak
  const [all = '', quote = '', indent = '', bullet = '', gap = '', task = ''] =
    MARKS.exec(text.slice(start, end)) ?? []
  const mark = start + quote.length + indent.length
  const content = start + all.length
  const column = columnAfter(0, indent)
  const afterBullet = column + bullet.length
  const afterGap = columnAfter(afterBullet, gap)
  // Content that is five or more columns after the bullet is indented code in the item.
  const inner = gap === '' || afterGap > afterBullet + 4 ? afterBullet + 1 : afterGap
  return { start, end, quote, indent, column, bullet, gap, task, mark, content, inner }
}

/** Yields the lines from the offset `start` to the line that contains `end`. */
export function* readLines(
  text: string,
  start: number,
  end: number = text.length,
): Generator<Line> {
  for (let at = start; at <= end; ) {
    const line = readLine(text, at)
    yield line
    at = line.end + 1
  }
}

/** Returns whether a line contains only quote markers and white space. */
export function isBlank({ mark, end }: Line): boolean {
  return mark === end
}

/** Returns the quote markers and the indentation at the start of a line. */
export function containerOf(line: string): string {
  return line.slice(0, readLine(line, 0).mark)
}

/** Returns the prefix that a further line needs to stay in the quote and list item of a line. */
export function innerPrefix({ quote, indent, bullet, gap }: Line): string {
  return quote + indent + ' '.repeat(bullet.length + gap.length)
}

/** Returns the outermost quote marker of a line, or `''`. */
export function quoteMarkOf(line: string): string {
  return QUOTE_MARK.exec(line)?.[0] ?? ''
}

/** Returns the heading marker at the start of a text, such as `## `, or `''`. */
export function headingMarkOf(text: string): string {
  return HEADING_MARK.exec(text)?.[0] ?? ''
}

/** Returns the backticks or tildes of a line that opens or closes fenced code, or `''`. */
export function fenceOf(line: string): string {
  const [, backticks, tildes] = FENCE.exec(line) ?? []
  return backticks ?? tildes ?? ''
}

/** Finds the fenced code blocks. A block that begins after a list marker ends with the item. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = []
  if (!/`{3}|~{3}/.test(text)) return blocks
  let open: { start: number; from: number; fence: string; inner: number } | null = null
  let start = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    const fence = fenceOf(line)
    if (open !== null && isOutside(line, open.inner)) {
      blocks.push(unclosed(open, start - 1))
      open = null
    }
    if (open === null) {
      const opening = fence || fenceOf(line.replace(LIST_MARKS, ''))
      const inner = fence === '' ? readLine(line, 0).inner : 0
      if (opening !== '') open = { start, from: end + 1, fence: opening, inner }
    } else if (fence.startsWith(open.fence) && line.trimEnd().endsWith(fence)) {
      const { from } = open
      blocks.push({ start: open.start, end, from, to: Math.max(from, start - 1) })
      open = null
    }
    start = end + 1
  }
  if (open !== null) blocks.push(unclosed(open, text.length))
  return blocks
}

/** Returns whether a line ends the list item whose content begins at the column `inner`. */
function isOutside(line: string, inner: number): boolean {
  if (inner === 0) return false
  const read = readLine(line, 0)
  return !isBlank(read) && read.column < inner
}

function unclosed({ start, from }: Pick<FencedBlock, 'start' | 'from'>, end: number): FencedBlock {
  return { start, end, from: Math.min(from, end), to: end }
}

/** Returns whether an offset is in a comment or an element such as `<pre>` that begins a line. */
export function isInRawHtml(text: string, offset: number): boolean {
  const html = Array.from(text.matchAll(RAW_HTML)).find(
    ({ 0: { length }, index }) => index <= offset && offset < index + length,
  )
  return (
    html !== undefined &&
    !fencedBlocks(text).some(({ start, end }) => start <= html.index && html.index <= end)
  )
}

/** Splits a table row into the sources of its cells. */
export function splitCells(content: string): string[] {
  const cells = content.trim().split(CELL_END)
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells.map((cell) => cell.trim())
}

/** Returns the positions of the pipes that separate the cells of a row. */
export function cellEnds(row: string): number[] {
  return Array.from(row.matchAll(CELL_END), ({ index }) => index)
}

/** Reads the alignment of a column from its cell of the delimiter row. */
export function alignmentOf(cell: string): Alignment {
  if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right'
  return cell.startsWith(':') ? 'left' : null
}

/** Returns the column after white space. A tab extends to the next multiple of four columns. */
function columnAfter(column: number, space: string): number {
  let after = column
  for (const character of space) after += character === '\t' ? 4 - (after % 4) : 1
  return after
}

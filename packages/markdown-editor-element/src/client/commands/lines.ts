import { type Edit, type Splice, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { lineEnd, lineRange } from './selection.ts'

/** A line and what it begins with: `> `, indentation, `- ` or `1. `, `[ ] `, content. */
export interface Line {
  readonly start: number
  readonly end: number
  /** The quote marks. */
  readonly quote: string
  readonly indent: string
  /** The columns that the indentation takes. */
  readonly column: number
  /** The bullet, or the number and what is behind it; `''` when the line begins no list item. */
  readonly bullet: string
  /** The white space behind the bullet. */
  readonly gap: string
  /** The box of a task, with the white space behind it. */
  readonly task: string
  /** Where quote marks and indentation end. */
  readonly mark: number
  /** Where the content begins. */
  readonly content: number
  /** The column that a line must reach to lie in this list item. */
  readonly inner: number
}

const LINE =
  /^((?:[ \t]*>[ \t]?)*)([ \t]*)(?:([-*+]|\d{1,9}[.)])([ \t]+|$)(\[[ xX]\](?:[ \t]+|$))?)?/
const QUOTE_MARK = /^ {0,3}> ?/
const HEADING_MARK = /^#{1,6}(?:[ \t]+|$)/

/** Reads the line that begins at an offset. */
export function readLine(text: string, start: number): Line {
  const end = lineEnd(text, start)
  const [all = '', quote = '', indent = '', bullet = '', gap = '', task = ''] =
    LINE.exec(text.slice(start, end)) ?? []
  const mark = start + quote.length + indent.length
  const column = columnAfter(0, indent)
  const behind = column + bullet.length
  const wide = columnAfter(behind, gap)
  // Content that is five columns away is code in the item.
  const inner = gap === '' || wide > behind + 4 ? behind + 1 : wide
  return {
    start,
    end,
    quote,
    indent,
    column,
    bullet,
    gap,
    task,
    mark,
    content: start + all.length,
    inner,
  }
}

/** The column behind white space; tabs stop at every fourth. */
function columnAfter(column: number, space: string): number {
  return Array.from(space).reduce(
    (at, each) => (each === '\t' ? at - (at % 4) + 4 : at + 1),
    column,
  )
}

/** The lines from an offset on that lie in a text up to an end. */
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

/** The selected lines. */
export function selectedLines(state: TextState): Line[] {
  const { start, end } = lineRange(state)
  return [...readLines(state.text, start, end)]
}

/** The selected lines that have more than quote marks and indentation, or all when none has. */
export function filledLines(state: TextState): Line[] {
  const lines = selectedLines(state)
  const filled = lines.filter((line) => !isBlank(line))
  return filled.length === 0 ? lines : filled
}

/** True when a line has nothing behind its quote marks. */
export function isBlank({ mark, end }: Line): boolean {
  return mark === end
}

/** The quote marks and the indentation at the start of a line. */
export function containerOf(line: string): string {
  return line.slice(0, readLine(line, 0).mark)
}

/** The mark of a list item at the start of a text, or `''`. */
export function listMarkOf(rest: string): string {
  const { mark, content } = readLine(rest, 0)
  return mark === 0 ? rest.slice(0, content) : ''
}

/** Quotes the selected lines, or takes one level of quoting away when all are quoted. */
export const quote: ToggleCommand = {
  run: (state) => {
    const lines = selectedLines(state)
    const remove = isQuoted(state)
    return spliced(
      state,
      lines.map(({ start, end }) => ({
        at: start,
        removed: remove ? quoteMarkOf(state.text.slice(start, end)).length : 0,
        added: remove ? '' : start === end && lines.length > 1 ? '>' : '> ',
      })),
    )
  },
  isActive: isQuoted,
}

/** Makes the selected lines headings of the next level: 1 to 6, then plain text again. */
export const heading: ToggleCommand = {
  run: (state) => setHeading(state, (headingLevel(state) + 1) % 7),
  isActive: (state) => headingLevel(state) > 0,
}

/** The level of a heading. */
export type HeadingLevel = 1 | 2 | 3 | 4 | 5 | 6

/** Makes the selected lines headings of one level, or plain text when the first is of it already. */
export function headingOf(level: HeadingLevel): ToggleCommand {
  const isActive = (state: TextState): boolean => headingLevel(state) === level
  return { run: (state) => setHeading(state, isActive(state) ? 0 : level), isActive }
}

function setHeading(state: TextState, level: number): Edit | null {
  const added = level === 0 ? '' : `${'#'.repeat(level)} `
  const marks = filledLines(state).map((line): Splice => {
    const at = headingStart(state.text, line)
    return { at, removed: headingMarkOf(state.text.slice(at, line.end)).length, added }
  })
  return spliced(state, marks)
}

function headingLevel(state: TextState): number {
  const [line] = filledLines(state)
  return line === undefined
    ? 0
    : headingMarkOf(state.text.slice(headingStart(state.text, line), line.end)).trimEnd().length
}

/** Behind the mark of a list item, unless the line ends with it. */
function headingStart(text: string, { mark, content }: Line): number {
  return /[ \t]/.test(text[content - 1] ?? '') ? content : mark
}

function headingMarkOf(rest: string): string {
  return HEADING_MARK.exec(rest)?.[0] ?? ''
}

function quoteMarkOf(line: string): string {
  return QUOTE_MARK.exec(line)?.[0] ?? ''
}

function isQuoted(state: TextState): boolean {
  return selectedLines(state).every(
    ({ start, end }) => quoteMarkOf(state.text.slice(start, end)) !== '',
  )
}

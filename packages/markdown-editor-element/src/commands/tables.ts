import { blockAt, insertBlock, selectIn } from './blocks.ts'
import { codeBlockAround } from './code.ts'
import { type Edit, editBetween, type TextState } from './edit.ts'
import {
  type Alignment,
  alignmentOf,
  cellEnds,
  DELIMITER_ROW,
  isInRawHtml,
  type Range,
  readLine,
  readLines,
  splitCells,
  THEMATIC_BREAK,
} from './line-grammar.ts'
import { parentOf } from './lists.ts'
import { lineRange } from './selection.ts'

interface Row {
  /** The quote markers, indentation and list marker before the row. */
  readonly prefix: string
  /** Trimmed sources. A row can have fewer or more cells than the table has columns. */
  readonly cells: readonly string[]
}

/** A table in a text, and the position of the cell that contains the caret. */
export interface Table extends Range {
  /** The prefix of the delimiter row, which follows the header. */
  readonly prefix: string
  readonly alignments: readonly Alignment[]
  /** The header row, followed by the other rows. */
  readonly rows: readonly Row[]
  /** The index of the caret's row in `rows`; 0 is the header. */
  readonly row: number
  readonly column: number
}

interface TableLine extends Range {
  readonly prefix: string
  readonly content: string
}

// One long cell, such as an image with its URL, would add spaces to all cells of its column.
const MAX_WIDTH = 100
// The code units by which an aligned table may exceed twice the length without alignment.
const MAX_PADDING = 10_000

/** Returns the GFM table at the caret, or null if there is none. */
export function tableAt(state: TextState): Table | null {
  const { text, selectionStart: caret } = state
  const lines = linesAt(text, caret)
  const at = lines.findIndex(({ start, end }) => start <= caret && caret <= end)
  const delimiter = lines.findIndex(
    (line, index) => index > 0 && isDelimiter(line, lines[index - 1]),
  )
  const header = lines[delimiter - 1]
  const below = lines[delimiter]
  if (header === undefined || below === undefined || at < delimiter - 1) return null
  const end = lines.findIndex(
    ({ content }, index) => index > delimiter && THEMATIC_BREAK.test(content),
  )
  const body = lines.slice(delimiter + 1, end === -1 ? lines.length : end)
  if (at > delimiter + body.length || isVerbatim(text, header)) return null
  const alignments = splitCells(below.content).map(alignmentOf)
  return {
    start: header.start,
    end: (body.at(-1) ?? below).end,
    prefix: below.prefix,
    alignments,
    rows: [header, ...body].map(({ prefix, content }) => ({ prefix, cells: splitCells(content) })),
    row: Math.max(0, at - delimiter),
    column: Math.min(columnAt(lines[at] ?? header, caret), alignments.length - 1),
  }
}

/** Returns whether a header row is in code, or in HTML that contains no Markdown. */
function isVerbatim(text: string, { start }: TableLine): boolean {
  const line = readLine(text, start)
  const { column, bullet, gap } = line
  const indent = bullet === '' ? column - (parentOf(text, line)?.inner ?? 0) : gap.length - 1
  return indent >= 4 || codeBlockAround(text, line) !== undefined || isInRawHtml(text, start)
}

function linesAt(text: string, caret: number): TableLine[] {
  const { start, end } = blockAt(text, caret)
  return Array.from(readLines(text, start, end), (line) => {
    // `- | a |` begins a table in a list item, but `- a` only begins a list item.
    const hasCells = text.slice(line.content, line.end).includes('|')
    const from = hasCells ? line.content : line.mark
    return {
      start: line.start,
      end: line.end,
      prefix: text.slice(line.start, from),
      content: text.slice(from, line.end),
    }
  })
}

function isDelimiter({ content }: TableLine, above: TableLine | undefined): boolean {
  if (above === undefined || !DELIMITER_ROW.test(content) || !above.content.includes('|'))
    return false
  return splitCells(content).length === splitCells(above.content).length
}

function columnAt({ start, prefix, content }: TableLine, caret: number): number {
  const before = content.slice(0, Math.max(0, caret - start - prefix.length))
  const pipes = cellEnds(before).length
  return Math.max(0, pipes - (content.startsWith('|') ? 1 : 0))
}

type TableChange = (table: Table) => Table | null

/** The name of a change to a table. */
export type TableChangeName = 'row-below' | 'row-delete' | 'column-after' | 'column-delete'

/** The changes by name. An impossible change returns null. Surplus cells of a row are kept. */
export const TABLE_CHANGES: Readonly<Record<TableChangeName, TableChange>> = {
  'row-below': (table) => {
    const row = table.row + 1
    const empty = { prefix: table.prefix, cells: table.alignments.map(() => '') }
    return { ...table, rows: table.rows.toSpliced(row, 0, empty), row }
  },
  'row-delete': (table) => {
    if (table.row === 0) return null
    const rows = table.rows.toSpliced(table.row, 1)
    return { ...table, rows, row: Math.min(table.row, rows.length - 1) }
  },
  'column-after': (table) => {
    const column = table.column + 1
    // A row that ends before the column stays as it is.
    const widen = (cells: readonly string[]): readonly string[] =>
      column > cells.length ? cells : cells.toSpliced(column, 0, '')
    return {
      ...table,
      alignments: table.alignments.toSpliced(column, 0, null),
      rows: table.rows.map(({ prefix, cells }) => ({ prefix, cells: widen(cells) })),
      column,
    }
  },
  'column-delete': (table) => {
    const { alignments, column } = table
    if (alignments.length === 1) return null
    return {
      ...table,
      alignments: alignments.toSpliced(column, 1),
      rows: table.rows.map((row) => ({ ...row, cells: row.cells.toSpliced(column, 1) })),
      column: Math.min(column, alignments.length - 2),
    }
  },
}

/** Returns the table at the caret, or null if there is none or several lines are selected. */
export function tableAtLine(state: TextState): Table | null {
  const { start, end } = lineRange(state)
  const line = state.text.slice(start, end)
  return line.includes('|') && !line.includes('\n') ? tableAt(state) : null
}

/** Selects the next cell (`step` 1) or the previous cell (-1). After the last, adds a row. */
export function selectNextCell(state: TextState, step: 1 | -1): Edit | null {
  const table = tableAtLine(state)
  if (table === null) return null
  const { length } = table.alignments
  const { mark, end } = readLine(state.text, lineRange(state).start)
  // The delimiter row is between the last cell of the header and the first cell of the body.
  const isRule = table.row === 0 && DELIMITER_ROW.test(state.text.slice(mark, end))
  const column = isRule ? length - (step === 1 ? 1 : 0) : table.column
  const index = table.row * length + column + step
  return index < 0 ? null : selectCell(state, table, Math.floor(index / length), index % length)
}

/** Returns the edit that selects the text of a cell. If the row does not exist, adds a row. */
export function selectCell(
  state: TextState,
  table: Table,
  row: number,
  column: number,
): Edit | null {
  const grown = row < table.rows.length ? table : TABLE_CHANGES['row-below'](table)
  const edit = grown && tableEdit(state, { ...grown, row, column })
  const { length } = grown?.rows[row]?.cells[column] ?? ''
  return edit && { ...edit, selectionStart: edit.selectionEnd - length }
}

/** Returns the edit that replaces a table and moves the caret to its current cell. */
export function tableEdit(state: TextState, table: Table): Edit | null {
  const lines = tableLines(table)
  const line = table.row === 0 ? 0 : table.row + 1
  const before = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  const from = table.rows[table.row]?.prefix.length ?? 0
  const caret = table.start + before + cellEnd(lines[line] ?? '', from, table.column)
  const text = state.text.slice(0, table.start) + lines.join('\n') + state.text.slice(table.end)
  return editBetween(state, { text, selectionStart: caret, selectionEnd: caret })
}

/** Returns the end of the text of a cell. The row begins at `from`, after the line's prefix. */
function cellEnd(line: string, from: number, column: number): number {
  const pipes = cellEnds(line).filter((index) => index >= from)
  const start = pipes[column] ?? from
  const cell = line.slice(start + 1, pipes[column + 1])
  return start + 1 + Math.max(1, cell.trimEnd().length)
}

/** Inserts a table and selects its first header cell. `rows` includes the header. */
export function newTable(state: TextState, columns: number, rows: number, header: string): Edit {
  const alignments = Array<Alignment>(columns).fill(null)
  const lines = tableLines({
    ...{ start: 0, end: 0, prefix: '', row: 0, column: 0, alignments },
    rows: Array.from({ length: rows }, (_, row) => ({
      prefix: '',
      cells: alignments.map(() => (row === 0 ? header : '')),
    })),
  })
  return selectIn(insertBlock(state, lines), header)
}

/** Returns the widths that align the columns, or widths of 0 if the table would grow too much. */
function widthsOf(rows: readonly Row[], columns: number): number[] {
  const widths = Array<number>(columns).fill(3)
  let length = 0
  for (const { cells } of rows) {
    for (const [column, cell] of cells.entries()) {
      length += cell.length + 3
      if (column < columns) widths[column] = Math.max(widths[column] ?? 3, cell.length)
    }
  }
  const aligned = rows.length * widths.reduce((sum, width) => sum + width + 3, 0)
  const isAligned =
    widths.every((width) => width <= MAX_WIDTH) && aligned <= 2 * length + MAX_PADDING
  return isAligned ? widths : widths.fill(0)
}

function tableLines({ rows, alignments, prefix, row }: Table): string[] {
  const widths = widthsOf(rows, alignments.length)
  const lines = rows.map(({ prefix: own, cells }, index) => {
    // Without alignment, only the caret's row gets its missing cells.
    const isFilled = widths[0] !== 0 || index === row
    const length = isFilled ? Math.max(cells.length, alignments.length) : cells.length
    const written = Array.from({ length }, (_, column) =>
      pad(cells[column] ?? '', widths[column] ?? 0, alignments[column] ?? null),
    )
    return `${own}| ${written.join(' | ')} |`
  })
  const rule = alignments.map((alignment, column) => dashes(widths[column] || 3, alignment))
  return lines.toSpliced(1, 0, `${prefix}| ${rule.join(' | ')} |`)
}

function pad(cell: string, width: number, alignment: Alignment): string {
  const room = Math.max(0, width - cell.length)
  const before = alignment === 'right' ? room : alignment === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + cell + ' '.repeat(room - before)
}

function dashes(width: number, alignment: Alignment): string {
  const first = alignment === 'left' || alignment === 'center' ? ':' : '-'
  const last = alignment === 'right' || alignment === 'center' ? ':' : '-'
  return first + '-'.repeat(width - 2) + last
}

import type { Alignment } from './line-grammar.ts'

/** A row of a table. */
export interface Row {
  /** The quote marks, indentation and list mark before the row. */
  readonly prefix: string
  /** Trimmed sources. A row can have fewer or more cells than the table has columns. */
  readonly cells: readonly string[]
}

/** The source of a table. */
export interface TableSource {
  /** The prefix of the delimiter row, which follows the header. */
  readonly prefix: string
  readonly alignments: readonly Alignment[]
  /** The header row, followed by the other rows. */
  readonly rows: readonly Row[]
  /** The index of the caret's row in `rows`; 0 is the header. */
  readonly row: number
}

// The alignment of wider cells would fill the other rows with spaces, for example below an image.
const MAX_WIDTH = 100
// A table of many short rows is not aligned if it would grow by more than this and its own length.
const MAX_PADDING = 10_000

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

/** Writes a table as lines, with aligned pipes if the table does not grow too much. */
export function tableLines({ rows, alignments, prefix, row }: TableSource): string[] {
  const widths = widthsOf(rows, alignments.length)
  const isAligned = widths[0] !== 0
  const [header = '', ...others] = rows.map(({ prefix, cells: own }, index) => {
    // Without alignment, only the caret's row gets its missing cells.
    const missing = isAligned || index === row ? Math.max(0, alignments.length - own.length) : 0
    const cells = [...own, ...Array<string>(missing).fill('')]
    const written = cells.map((cell, column) =>
      pad(cell, widths[column] ?? 0, alignments[column] ?? null),
    )
    return `${prefix}| ${written.join(' | ')} |`
  })
  const rule = alignments.map((alignment, column) => dashes(widths[column] || 3, alignment))
  return [header, `${prefix}| ${rule.join(' | ')} |`, ...others]
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

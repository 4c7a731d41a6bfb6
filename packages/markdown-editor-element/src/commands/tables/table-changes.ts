import type { Alignment } from '@quillgate/markdown/grammar'
import type { Row, Table } from './table.ts'

/** A change of a table; null where it cannot be made. Pure. */
type TableChange = (table: Table) => Table | null

/** The name of a change. */
export type TableChangeName =
  | `row-${'above' | 'below' | 'delete'}`
  | `column-${'before' | 'after' | 'delete'}`
  | `align-${'none' | 'left' | 'center' | 'right'}`
  | 'format'

/**
 * The changes of a table at the caret, by name. Cells beyond the last column are kept where they
 * are.
 */
export const TABLE_CHANGES: Readonly<Record<TableChangeName, TableChange>> = {
  // Nothing stands above the header.
  'row-above': (table) => (table.row === 0 ? null : insertRow(table, table.row)),
  'row-below': (table) => insertRow(table, table.row + 1),
  'row-delete': (table) => {
    if (table.row === 0) return null
    const rows = table.rows.toSpliced(table.row, 1)
    return { ...table, rows, row: Math.min(table.row, rows.length - 1) }
  },
  'column-before': (table) => insertColumn(table, table.column),
  'column-after': (table) => insertColumn(table, table.column + 1),
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
  'align-none': (table) => align(table, null),
  'align-left': (table) => align(table, 'left'),
  'align-center': (table) => align(table, 'center'),
  'align-right': (table) => align(table, 'right'),
  format: (table) => table,
}

function insertRow(table: Table, row: number): Table {
  const empty: Row = { prefix: table.prefix, cells: table.alignments.map(() => '') }
  return { ...table, rows: table.rows.toSpliced(row, 0, empty), row }
}

function insertColumn(table: Table, column: number): Table {
  return {
    ...table,
    alignments: table.alignments.toSpliced(column, 0, null),
    rows: table.rows.map(({ prefix, cells }) => ({ prefix, cells: insertCell(cells, column) })),
    column,
  }
}

/** A row that is too short for the column stays so. */
function insertCell(cells: readonly string[], column: number): readonly string[] {
  return column > cells.length ? cells : cells.toSpliced(column, 0, '')
}

function align(table: Table, alignment: Alignment): Table {
  return { ...table, alignments: table.alignments.with(table.column, alignment) }
}

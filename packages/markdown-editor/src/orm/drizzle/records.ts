import { and, asc, type Column, eq, gt, or, type SQL, type Table } from 'drizzle-orm'
import type { RecordEntry } from '../../media/references/media-references.ts'
import { type DrizzleDatabase, dialectOfDrizzle } from './executor.ts'
import {
  type DrizzleTable,
  keyOf,
  type Row,
  readTables,
  type TrackedTable,
  textsOf,
} from './tables.ts'

const PAGE = 500

interface Query extends Promise<Row[]> {
  where(condition: SQL | undefined): Query
  orderBy(...columns: SQL[]): Query
  limit(count: number): Query
}

interface ReadableDatabase {
  select(selection: Record<string, Column>): { from(table: Table): Query }
}

/**
 * Reads all records of the given tables, for `references.rebuild` and `markdown-editor reindex`.
 *
 * @throws ConfigurationError as `drizzleCleanup` does
 * @example
 * createMarkdownEditor({ …, records: { all: () => drizzleRecords(db, tables) } })
 */
export async function* drizzleRecords(
  db: DrizzleDatabase,
  tables: readonly DrizzleTable[],
): AsyncGenerator<RecordEntry> {
  const readable = db as unknown as ReadableDatabase
  for (const tracked of readTables(tables, dialectOfDrizzle(db)).values()) {
    const { table, key, fields } = tracked
    const order = Object.values(key).map((column) => asc(column))
    let last: Row | undefined
    do {
      const query = readable.select({ ...key, ...fields }).from(table)
      const rows: Row[] = await query
        .where(after(tracked, last))
        .orderBy(...order)
        .limit(PAGE)
      for (const row of rows) yield { ...keyOf(tracked, row), texts: textsOf(fields, row) }
      last = rows.length === PAGE ? rows.at(-1) : undefined
    } while (last)
  }
}

/** By the key of the last record, not by its position, which moves when records come and go. */
function after({ key }: TrackedTable, last: Row | undefined): SQL | undefined {
  if (!last) return undefined
  const columns = Object.entries(key)
  return or(
    ...columns.map(([property, column], index) => {
      const equal = columns.slice(0, index).map(([name, each]) => eq(each, last[name]))
      return and(...equal, gt(column, last[property]))
    }),
  )
}

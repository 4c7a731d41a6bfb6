import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RecordEntry } from '../../media/references/media-references.ts'
import { recordKey } from '../record-key.ts'
import { toText } from '../to-text.ts'
import { type KyselyTables, readTables, type TrackedTable } from './tables.ts'

type Row = Record<string, unknown>

const PAGE = 500

/**
 * Reads all records of the given tables, for `references.rebuild` and `markdown-editor reindex`.
 *
 * @throws ConfigurationError for tables without columns
 * @example
 * createMarkdownEditor({ …, records: { all: () => kyselyRecords(db, tables) } })
 */
export async function* kyselyRecords<DB>(
  db: Kysely<DB>,
  tables: KyselyTables<DB>,
): AsyncGenerator<RecordEntry> {
  const plain = db.withoutPlugins()
  for (const table of readTables(db, tables).values()) {
    let last: Row | undefined
    do {
      const { rows }: { rows: Row[] } = await pageAfter(table, last).execute(plain)
      for (const row of rows) {
        const key = recordKey(
          table.name,
          table.key.map((column) => row[column]),
        )
        const texts = Object.fromEntries(table.fields.map((field) => [field, toText(row[field])]))
        if (key) yield { ...key, texts }
      }
      last = rows.length === PAGE ? rows.at(-1) : undefined
    } while (last)
  }
}

/** By the key of the last record, not by its position, which moves when records come and go. */
function pageAfter({ name, key, fields }: TrackedTable, last?: Row): RawBuilder<Row> {
  const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
  const after = last
    ? sql`where (${refs(key)}) > (${sql.join(key.map((column) => last[column]))})`
    : sql``
  const columns = [...new Set([...key, ...fields])]
  return sql<Row>`select ${refs(columns)} from ${sql.table(name)} ${after} order by ${refs(key)} limit ${sql.lit(PAGE)}`
}

import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RecordKey } from '../../media/record-texts.ts'
import type { RecordEntry } from '../../media/references/media-references.ts'
import { keyParts, recordKey } from '../record-key.ts'
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

/**
 * Reads the texts of one record, for an editor whose records live in another database.
 *
 * @returns null when there is no such record, or its table is none of these
 * @throws ConfigurationError for tables without columns
 * @example
 * createMarkdownEditor({ …, recordsDatabase: 'separate', records: {
 *   load: (record) => kyselyRecord(db, tables, record),
 *   all: () => kyselyRecords(db, tables),
 * } })
 */
export async function kyselyRecord<DB>(
  db: Kysely<DB>,
  tables: KyselyTables<DB>,
  record: RecordKey,
): Promise<Record<string, string | null> | null> {
  // A table of another schema has the columns that its name without one has.
  const tracked = readTables(db, tables)
  const table =
    tracked.get(record.type) ?? tracked.get(record.type.slice(record.type.indexOf('.') + 1))
  if (!table) return null
  const parts = keyParts(record, table.key.length)
  const conditions = table.key.map((column, index) => sql`${sql.ref(column)} = ${parts[index]}`)
  const columns = sql.join(table.fields.map((column) => sql.ref(column)))
  const query = sql<Row>`select ${columns} from ${sql.table(record.type)} where ${sql.join(conditions, sql` and `)}`
  const [row] = (await query.execute(db.withoutPlugins())).rows
  return row ? Object.fromEntries(table.fields.map((field) => [field, toText(row[field])])) : null
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

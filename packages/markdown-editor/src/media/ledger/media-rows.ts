import type { SqlExecutor } from '@quillgate/server/database'
import { batchesOf, type LedgerTables } from './ledger-database.ts'
import type { Medium } from './medium.ts'
import type { LedgerRows } from './schema.ts'

/** Reads the rows with these ids, in any state. */
export async function findMedia(
  executor: SqlExecutor,
  tables: LedgerTables,
  ids: Iterable<string>,
): Promise<Map<string, Medium>> {
  const found = new Map<string, Medium>()
  for (const some of batchesOf(ids)) {
    const rows = tables.on(executor).selectFrom('media').selectAll().where('id', 'in', some)
    for (const row of await rows.execute()) found.set(row.id, toMedium(row))
  }
  return found
}

/** Reads a row of the media table. */
export function toMedium(row: LedgerRows['media']): Medium {
  const { permanentKey, lastRecordType: type, lastRecordId: id, changedAt, writes, ...rest } = row
  const savedIn = type === null || id === null ? null : { type, id }
  return { ...rest, key: permanentKey, savedIn }
}

import { list, type Row, type SqlExecutor, sqlFor, toNumber } from '@quillgate/server/database'
import { batchesOf, type LedgerTables, rowsOf } from './ledger-database.ts'
import type { DeletionReason, MediaState, Medium } from './medium.ts'

/** Reads the rows with these ids, in any state. */
export async function findMedia(
  executor: SqlExecutor,
  { media }: LedgerTables,
  ids: Iterable<string>,
): Promise<Map<string, Medium>> {
  const sql = sqlFor(executor.dialect)
  const found = new Map<string, Medium>()
  for (const some of batchesOf(ids)) {
    for (const row of await rowsOf(
      executor,
      sql`SELECT * FROM ${media} WHERE id IN (${list(some)})`,
    )) {
      found.set(String(row['id']), toMedium(row))
    }
  }
  return found
}

/** Reads a row of the media table. */
export function toMedium(row: Row): Medium {
  const number = (column: string): number | null =>
    row[column] == null ? null : toNumber(row[column])
  const text = (column: string): string | null => row[column] as string | null
  return {
    id: row['id'] as string,
    state: row['state'] as MediaState,
    owner: row['owner'] as string,
    name: row['name'] as string,
    type: row['type'] as string,
    size: number('size'),
    checksum: text('checksum'),
    tempKey: row['temp_key'] as string,
    key: text('permanent_key'),
    width: number('width'),
    height: number('height'),
    createdAt: toNumber(row['created_at']),
    heldAt: number('quarantined_at'),
    finalizedAt: number('finalized_at'),
    referencedAt: number('referenced_at'),
    savedIn:
      row['last_record_type'] == null
        ? null
        : { type: String(row['last_record_type']), id: String(row['last_record_id']) },
    orphanedAt: number('orphaned_at'),
    deletedAt: number('deleted_at'),
    reason: text('reason') as DeletionReason | null,
    actor: text('actor'),
  }
}

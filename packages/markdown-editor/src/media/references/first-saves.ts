import { list, lockClause, raw, type SqlExecutor, sqlFor } from '@quillgate/server/database'
import { affectedBy, batchesOf, type LedgerTables, rowsOf } from '../ledger/ledger-database.ts'

/** Locks those of these files that no record was saved with yet, in the order of their ids. @returns their ids */
export async function lockUnsaved(
  tx: SqlExecutor,
  tables: LedgerTables,
  ids: Iterable<string>,
): Promise<string[]> {
  const sql = sqlFor(tx.dialect)
  const lock = raw(lockClause(tx.dialect))
  const unsaved: string[] = []
  for (const some of batchesOf([...ids].sort())) {
    const rows = await rowsOf(
      tx,
      sql`SELECT id FROM ${tables.media} WHERE id IN (${list(some)}) AND referenced_at IS NULL ORDER BY id${lock}`,
    )
    unsaved.push(...rows.map((row) => String(row['id'])))
  }
  return unsaved
}

/**
 * Takes back, within the transaction that adds references of a save whose outcome is open, that files were saved: those
 * that no record was saved with before are only held so far. After a rollback each must be what it was, and no orphan.
 *
 * @param unsaved what {@link lockUnsaved} gave before the references were added
 * @returns the ids of those that the commit will make saved
 */
export async function holdAsUnsaved(
  tx: SqlExecutor,
  tables: LedgerTables,
  unsaved: readonly string[],
): Promise<readonly string[]> {
  const sql = sqlFor(tx.dialect)
  const held: string[] = []
  for (const id of unsaved) {
    const changed = await affectedBy(
      tx,
      sql`UPDATE ${tables.media} SET referenced_at = NULL, holder_type = NULL, holder_id = NULL
        WHERE id = ${id} AND referenced_at IS NOT NULL`,
    )
    if (changed > 0) held.push(id)
  }
  return held
}

/** After the commit: a record was saved with these files. @param at milliseconds since the epoch */
export async function recordFirstSave(
  tx: SqlExecutor,
  tables: LedgerTables,
  media: readonly string[],
  record: { readonly type: string; readonly id: string },
  at: number,
): Promise<void> {
  const sql = sqlFor(tx.dialect)
  for (const id of media) {
    await affectedBy(
      tx,
      sql`UPDATE ${tables.media} SET referenced_at = COALESCE(referenced_at, ${at}),
        holder_type = ${record.type}, holder_id = ${record.id}
        WHERE id = ${id} AND state IN ('permanent', 'temporary', 'promoting')`,
    )
  }
}

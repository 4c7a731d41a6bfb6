import { type SqlExecutor, sqlFor } from '@quillgate/database'
import { affectedBy, type LedgerTables } from './ledger-database.ts'
import type { Medium } from './medium.ts'

/**
 * Takes back, within the transaction that adds references of a save whose outcome is open, that files were saved: those
 * that no record was saved with before are only held so far. After a rollback each must be what it was, and no orphan.
 *
 * @param media as they were in front of the references
 * @returns the ids of those that the commit will make saved
 */
export async function holdAsUnsaved(
  tx: SqlExecutor,
  tables: LedgerTables,
  media: Iterable<Medium>,
): Promise<readonly string[]> {
  const sql = sqlFor(tx.dialect)
  const unsaved: string[] = []
  for (const { id, referencedAt } of media) {
    if (referencedAt !== null) continue
    const held = await affectedBy(
      tx,
      sql`UPDATE ${tables.media} SET referenced_at = NULL, holder_type = NULL, holder_id = NULL
        WHERE id = ${id} AND referenced_at IS NOT NULL`,
    )
    if (held > 0) unsaved.push(id)
  }
  return unsaved.sort()
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

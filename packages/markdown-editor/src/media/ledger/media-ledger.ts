import { lockClause, raw, type SqlStatement } from '@quillgate/server/database'
import { type Completion, completeWithin, toTemporary, usageOf } from './complete-upload.ts'
import { affectedBy, type LedgerDatabase, rowsOf } from './ledger-database.ts'
import { findMedia, toMedium } from './media-rows.ts'
import type { DeletionReason, Medium, NewMedium, UploadedFacts } from './medium.ts'
import { type Departure, isReferenced, leaveUnlessReferenced } from './reference-protocol.ts'

/**
 * The whole ledger. Every change is one compare-and-set; false means that the row was not in the state it starts from.
 */
export interface MediaLedger {
  /** Records a file before its first byte, in state `uploading`. */
  begin(medium: NewMedium): Promise<void>
  /** Holds back a file in state `uploading`, which stays held when it is completed. */
  hold(id: string, at: number): Promise<boolean>
  /** `uploading → temporary`: the bytes are stored, checked and durable. */
  complete(id: string, facts: UploadedFacts, at: number): Promise<boolean>
  /**
   * The same, if the owner's files then take no more than `limit` bytes together: exact however many processes complete
   * uploads of one owner at once. `gone`: the row was not `uploading` any more.
   */
  completeWithin(limit: number, id: string, facts: UploadedFacts, at: number): Promise<Completion>
  /** The row with this id in any state; null when there never was one. */
  get(id: string): Promise<Medium | null>
  /** Bytes of the owner's files that exist: uploading ones count with the size recorded so far (0). */
  usage(owner: string): Promise<number>
  /** The rows with these ids, in any state. */
  find(ids: Iterable<string>): Promise<Map<string, Medium>>
  /** `temporary → promoting`: the file gets its permanent key, its bytes are still to be copied. */
  beginPromotion(id: string, key: string, at: number): Promise<boolean>
  /** `promoting → permanent`: the bytes are durable under the permanent key. */
  completePromotion(id: string, at: number): Promise<boolean>
  /** `permanent | temporary → orphaned | deleting`, unless a record references the file (the reference protocol). */
  leave(id: string, departure: Departure): Promise<boolean>
  /** `uploading | promoting → deleting`: refused, broken off, or its bytes are lost. */
  giveUp(
    id: string,
    from: 'uploading' | 'promoting',
    reason: DeletionReason,
    at: number,
  ): Promise<boolean>
  /** `deleting → deleted`: the bytes are gone. */
  completeDeletion(id: string, at: number): Promise<boolean>
  /** Removes the row of an upload whose bytes are gone and that never came to be `temporary`. */
  forgetUpload(id: string): Promise<boolean>
  /** Removes the row of a file that was deleted by `until`, in milliseconds, and that no record mentions any more. */
  forget(id: string, until: number): Promise<boolean>
  /** Lets a file be served that the scanner held back, from `uploading` on until it goes. */
  release(id: string): Promise<boolean>
  /** Refuses a held file: `uploading | temporary | permanent | orphaned → deleting`, references or not. */
  reject(id: string, actor: string | null, at: number): Promise<boolean>
  /** `orphaned → permanent`, as if it had just been finalized: `unsavedGrace` counts anew. */
  restore(id: string, at: number): Promise<boolean>
  /** Gives all files of one owner to another. @returns how many */
  changeOwner(from: string, to: string): Promise<number>
}

/** Makes the ledger on its database. */
export function createMediaLedger(database: LedgerDatabase): MediaLedger {
  const { executor, lax, sql, transaction } = database
  const { media, reference } = database.tables

  /** Runs an UPDATE of one row and tells whether it matched. */
  const changed = async (statement: SqlStatement): Promise<boolean> =>
    (await affectedBy(executor, statement)) > 0

  return {
    async begin(medium: NewMedium) {
      const { id, owner, name, type, tempKey, createdAt } = medium
      // Without it, what a power failure leaves is an object that no row knows, and the sweep removes it all the same.
      await affectedBy(
        lax,
        sql`INSERT INTO ${media} (id, state, owner, name, type, temp_key, created_at, changed_at)
          VALUES (${id}, 'uploading', ${owner}, ${name}, ${type}, ${tempKey}, ${createdAt}, ${createdAt})`,
      )
    },

    hold: (id, at) =>
      changed(
        sql`UPDATE ${media} SET quarantined_at = ${at} WHERE id = ${id} AND state = 'uploading'`,
      ),

    complete: (id: string, facts: UploadedFacts, at: number) =>
      changed(toTemporary(database, id, facts, at)),

    completeWithin: (limit, id, facts, at) => completeWithin(database, limit, id, facts, at),

    async get(id) {
      const [row] = await rowsOf(executor, sql`SELECT * FROM ${media} WHERE id = ${id}`)
      return row ? toMedium(row) : null
    },

    find: (ids) => findMedia(executor, database.tables, ids),

    usage: (owner) => usageOf(executor, database.tables, owner),

    beginPromotion: (id, key, at) =>
      changed(sql`UPDATE ${media} SET state = 'promoting', permanent_key = ${key}, changed_at = ${at}
        WHERE id = ${id} AND state = 'temporary'`),

    completePromotion: (id, at) => completePromotion(database, id, at),

    leave: (id, departure) => leaveUnlessReferenced(database, id, departure),

    giveUp: (id, from, reason, at) =>
      changed(sql`UPDATE ${media} SET state = 'deleting', changed_at = ${at}, deleted_at = ${at}, reason = ${reason}
        WHERE id = ${id} AND state = ${from}`),

    completeDeletion: (id, at) =>
      changed(sql`UPDATE ${media} SET state = 'deleted', changed_at = ${at}, deleted_at = ${at}
        WHERE id = ${id} AND state = 'deleting'`),

    forgetUpload: (id) =>
      changed(
        sql`DELETE FROM ${media} WHERE id = ${id} AND state IN ('deleting', 'deleted') AND checksum IS NULL`,
      ),

    forget: (id, until) =>
      changed(sql`DELETE FROM ${media} WHERE id = ${id} AND state = 'deleted' AND changed_at <= ${until}
        AND NOT EXISTS (SELECT 1 FROM ${reference} WHERE media_id = ${id})`),

    release: (id) =>
      changed(sql`UPDATE ${media} SET quarantined_at = NULL
        WHERE id = ${id} AND quarantined_at IS NOT NULL AND state NOT IN ('deleting', 'deleted')`),

    reject: (id, actor, at) =>
      changed(sql`UPDATE ${media} SET state = 'deleting', changed_at = ${at}, deleted_at = ${at}, reason = 'rejected',
        actor = ${actor}
        WHERE id = ${id} AND quarantined_at IS NOT NULL AND state IN ('uploading', 'temporary', 'permanent', 'orphaned')`),

    restore: (id, at) =>
      changed(sql`UPDATE ${media} SET state = 'permanent', changed_at = ${at}, finalized_at = ${at}, referenced_at = NULL,
        orphaned_at = NULL, reason = NULL, actor = NULL WHERE id = ${id} AND state = 'orphaned'`),

    // Many rows, in the order of an index: where that meets another transaction in a circle, it is run again.
    changeOwner: (from, to) =>
      transaction((tx) =>
        affectedBy(tx, sql`UPDATE ${media} SET owner = ${to} WHERE owner = ${from}`),
      ),
  }
}

/**
 * A temporary file may have had references, and lost them: then its life as an unsaved file begins now. They are looked
 * for only when the row is locked, as the reference protocol has it.
 */
function completePromotion(
  { sql, tables, transaction }: LedgerDatabase,
  id: string,
  at: number,
): Promise<boolean> {
  return transaction(async (tx) => {
    const lock = sql`SELECT state, referenced_at FROM ${tables.media} WHERE id = ${id} ${raw(lockClause(tx.dialect))}`
    const [row] = await rowsOf(tx, lock)
    if (row?.['state'] !== 'promoting') return false
    const referencedAt =
      row['referenced_at'] !== null && (await isReferenced(tx, tables, id)) ? at : null
    await affectedBy(
      tx,
      sql`UPDATE ${tables.media} SET state = 'permanent', changed_at = ${at}, finalized_at = ${at},
        referenced_at = ${referencedAt} WHERE id = ${id}`,
    )
    return true
  })
}

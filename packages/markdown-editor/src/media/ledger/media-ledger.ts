import type { UpdateQueryBuilder, UpdateResult } from 'kysely'
import { type Completion, completeWithin, toTemporary, usageOf } from './complete-upload.ts'
import type { LedgerDatabase } from './ledger-database.ts'
import { findMedia, toMedium } from './media-rows.ts'
import type { DeletionReason, MediaState, Medium, NewMedium, UploadedFacts } from './medium.ts'
import { isReferenced, type Transition, transitionUnlessReferenced } from './reference-protocol.ts'
import type { LedgerRows } from './schema.ts'

/**
 * The whole ledger. Every change is one compare-and-set; false means that the row was not in the
 * state it starts from.
 */
export interface MediaLedger {
  /** Records a file before its first byte, in state `uploading`. */
  begin(medium: NewMedium): Promise<void>
  /** Puts a file in state `uploading` into quarantine, where it stays when it is completed. */
  quarantine(id: string, at: number): Promise<boolean>
  /** `uploading → temporary`: the bytes are stored, checked and durable. */
  complete(id: string, facts: UploadedFacts, at: number): Promise<boolean>
  /**
   * Completes an upload if the owner's files then take at most `limit` bytes together. This is
   * exact even if several processes complete uploads of one owner at once. `gone`: the row was no
   * longer `uploading`.
   */
  completeWithin(limit: number, id: string, facts: UploadedFacts, at: number): Promise<Completion>
  /** The row with this id in any state; null when there never was one. */
  get(id: string): Promise<Medium | null>
  /**
   * Bytes of the owner's files that exist: uploading ones count with the size recorded so far (0).
   */
  usage(owner: string): Promise<number>
  /** The rows with these ids, in any state. */
  find(ids: Iterable<string>): Promise<Map<string, Medium>>
  /** `temporary → promoting`: the file gets its permanent key, its bytes are still to be copied. */
  beginPromotion(id: string, key: string, at: number): Promise<boolean>
  /** `promoting → permanent`: the bytes are durable under the permanent key. */
  completePromotion(id: string, at: number): Promise<boolean>
  /**
   * `permanent | temporary → orphaned | deleting`, unless a record references the file (the
   * reference protocol).
   */
  transition(id: string, transition: Transition): Promise<boolean>
  /** `uploading | promoting → deleting`: refused, interrupted, or its bytes are lost. */
  giveUp(
    id: string,
    from: 'uploading' | 'promoting',
    reason: DeletionReason,
    at: number,
  ): Promise<boolean>
  /** `deleting → deleted`: the bytes are gone. */
  completeDeletion(id: string, at: number): Promise<boolean>
  /** Removes the row of an upload whose bytes are gone and that was never `temporary`. */
  forgetUpload(id: string): Promise<boolean>
  /**
   * Removes the row of a file that was deleted by `until`, in milliseconds, and that no record
   * mentions any more.
   */
  forget(id: string, until: number): Promise<boolean>
  /** Releases a file from quarantine, from `uploading` on until it is deleted. */
  release(id: string): Promise<boolean>
  /**
   * Deletes a file in quarantine: `uploading | temporary | permanent | orphaned → deleting`,
   * references or not.
   */
  reject(id: string, actor: string | null, at: number): Promise<boolean>
  /** `orphaned → permanent`, as if it had just been finalized: `unsavedGrace` starts again. */
  restore(id: string, at: number): Promise<boolean>
  /** Gives all files of one owner to another. @returns how many */
  changeOwner(from: string, to: string): Promise<number>
}

/** Creates the ledger on its database. */
export function createMediaLedger(database: LedgerDatabase): MediaLedger {
  const { executor, relaxed, tables } = database
  return {
    async begin(medium: NewMedium) {
      // Need not be durable: after a power failure, the sweep removes an object without a row.
      await tables
        .on(relaxed)
        .insertInto('media')
        .values({ ...medium, state: 'uploading', changedAt: medium.createdAt, writes: 0 })
        .execute()
    },
    complete: (id, facts, at) => toTemporary(executor, tables, id, facts, at),
    completeWithin: (limit, id, facts, at) => completeWithin(database, limit, id, facts, at),
    async get(id) {
      const select = tables.on(executor).selectFrom('media').selectAll().where('id', '=', id)
      const row = await select.executeTakeFirst()
      return row ? toMedium(row) : null
    },
    find: (ids) => findMedia(executor, tables, ids),
    usage: (owner) => usageOf(executor, tables, owner),
    completePromotion: (id, at) => completePromotion(database, id, at),
    transition: (id, transition) => transitionUnlessReferenced(database, id, transition),
    // Updates many rows in the order of an index. If that deadlocks with another transaction, it
    // runs again.
    changeOwner: (from, to) =>
      database.transaction(async (tx) => {
        const update = tables.on(tx).updateTable('media').set({ owner: to })
        const { numUpdatedRows } = await update.where('owner', '=', from).executeTakeFirst()
        return Number(numUpdatedRows)
      }),
    ...createTransitions(database),
    ...createQuarantine(database),
    ...createRemovals(database),
  }
}

type Update = UpdateQueryBuilder<LedgerRows, 'media', 'media', UpdateResult>

/** Runs an UPDATE of one row and returns whether it matched. */
async function changed(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Returns a function that begins the UPDATE of one row in one of some states. */
function updates({
  executor,
  tables,
}: LedgerDatabase): (id: string, from: readonly MediaState[]) => Update {
  return (id, from) =>
    tables.on(executor).updateTable('media').where('id', '=', id).where('state', 'in', from)
}

function createTransitions(
  database: LedgerDatabase,
): Pick<MediaLedger, 'beginPromotion' | 'giveUp' | 'completeDeletion' | 'restore'> {
  const update = updates(database)
  return {
    beginPromotion: (id, key, at) =>
      changed(
        update(id, ['temporary']).set({ state: 'promoting', permanentKey: key, changedAt: at }),
      ),
    giveUp: (id, from, reason, at) =>
      changed(update(id, [from]).set({ state: 'deleting', changedAt: at, deletedAt: at, reason })),
    completeDeletion: (id, at) =>
      changed(update(id, ['deleting']).set({ state: 'deleted', changedAt: at, deletedAt: at })),
    restore: (id, at) =>
      changed(
        update(id, ['orphaned']).set({
          state: 'permanent',
          changedAt: at,
          finalizedAt: at,
          referencedAt: null,
          orphanedAt: null,
          reason: null,
          actor: null,
        }),
      ),
  }
}

function createQuarantine(
  database: LedgerDatabase,
): Pick<MediaLedger, 'quarantine' | 'release' | 'reject'> {
  const update = updates(database)
  const inQuarantine = (id: string, from: readonly MediaState[]): Update =>
    update(id, from).where('quarantinedAt', 'is not', null)
  return {
    quarantine: (id, at) => changed(update(id, ['uploading']).set({ quarantinedAt: at })),
    release: (id) =>
      changed(
        inQuarantine(id, ['uploading', 'temporary', 'promoting', 'permanent', 'orphaned']).set({
          quarantinedAt: null,
        }),
      ),
    reject: (id, actor, at) =>
      changed(
        inQuarantine(id, ['uploading', 'temporary', 'permanent', 'orphaned']).set({
          state: 'deleting',
          changedAt: at,
          deletedAt: at,
          reason: 'rejected',
          actor,
        }),
      ),
  }
}

function createRemovals({
  executor,
  tables,
}: LedgerDatabase): Pick<MediaLedger, 'forget' | 'forgetUpload'> {
  return {
    async forgetUpload(id) {
      const { numDeletedRows } = await tables
        .on(executor)
        .deleteFrom('media')
        .where('id', '=', id)
        .where('state', 'in', ['deleting', 'deleted'])
        .where('checksum', 'is', null)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
    async forget(id, until) {
      const { numDeletedRows } = await tables
        .on(executor)
        .deleteFrom('media')
        .where('id', '=', id)
        .where('state', '=', 'deleted')
        .where('changedAt', '<=', until)
        .where(({ exists, not, selectFrom }) =>
          not(exists(selectFrom('mediaReference').select('mediaId').where('mediaId', '=', id))),
        )
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

/**
 * A temporary file may have had references, and lost them: then its life as an unsaved file begins
 * now. They are searched for only after the row is locked, as the reference protocol requires.
 */
function completePromotion(
  { tables, transaction }: LedgerDatabase,
  id: string,
  at: number,
): Promise<boolean> {
  return transaction(async (tx) => {
    const db = tables.on(tx)
    const row = await db
      .selectFrom('media')
      .select(['state', 'referencedAt'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (row?.state !== 'promoting') return false
    const isKept = row.referencedAt !== null && (await isReferenced(tx, tables, id))
    await db
      .updateTable('media')
      .set({
        state: 'permanent',
        changedAt: at,
        finalizedAt: at,
        referencedAt: isKept ? at : null,
      })
      .where('id', '=', id)
      .execute()
    return true
  })
}

import type { Kysely } from 'kysely'
import { type LedgerConnection, type LedgerDatabase, writeLocked } from './ledger-database.ts'
import { type DeletionReason, EXISTING, isExisting, type MediaState } from './medium.ts'
import type { Role } from './principal.ts'
import type { LedgerRows } from './schema.ts'
import { statement } from './statement.ts'

/** A field of a record whose text contains a media id. */
export interface ReferencePlace {
  readonly type: string
  readonly id: string
  readonly field: string
}

/** A transition to `orphaned` or `deleting`, for a file that no record references. */
export interface Transition {
  readonly from: readonly MediaState[]
  readonly to: 'orphaned' | 'deleting'
  readonly reason: DeletionReason
  /** `user:<id>`, `anon:<session>`, `sweep` or a label. Null if no actor was given. */
  readonly actor: string | null
  readonly at: number
  /** If true, changes only files with `referencedAt`. If false, changes only files without it. */
  readonly wasReferenced?: boolean
  /** If given, changes only files that were orphaned at or before this time. */
  readonly orphanedBy?: number
  /**
   * A reference from this field does not protect the file, and is removed. Without `field`, this
   * applies to a reference from any field of the record, if there is only one such reference.
   */
  readonly except?:
    | (Omit<ReferencePlace, 'field'> & { readonly field?: string | undefined })
    | undefined
  /** If true, references that other users saved do not protect the file, and are removed. */
  readonly isByOwner?: boolean
}

/**
 * Adds a reference inside the transaction that saves the record. First locks the row of the file,
 * and restores an orphaned file. Then inserts the reference.
 *
 * A deletion of the file also locks the row. If the deletion locks the row later, it waits and then
 * sees the reference. If it locks the row first, this function waits and then finds no file.
 * On two nodes of a Galera cluster, the transactions do not wait, but only one can commit.
 *
 * A temporary file can have references too, if a record was saved without finalizing its text.
 *
 * @param role null if the writer does not manage the file. The reference then does not set
 * `referencedAt`. It restores an orphaned file only in the record that last contained the file.
 * @returns `kept` if the reference existed before, `missing` if the file is gone or stays orphaned
 */
export async function addReference(
  tx: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
  at: number,
  role: Role = 'owner',
): Promise<'added' | 'kept' | 'missing'> {
  const isLocked = await (role === null ? lockUnmanaged : lockManaged)(tx, mediaId, place, at)
  if (!isLocked) return 'missing'
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('mediaReference')
    .values({ ...keyOf(mediaId, place), byOwner: role === 'owner' })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n ? 'added' : 'kept'
}

function keyOf(mediaId: string, { type, id, field }: ReferencePlace) {
  return { mediaId, recordType: type, recordId: id, field }
}

/** Locks a file by writing its row. Restores an orphaned file. If no file exists, returns false. */
async function lockManaged(
  { db }: LedgerConnection,
  mediaId: string,
  { type, id }: ReferencePlace,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('media')
    .set((eb) => ({
      orphanedAt: null,
      reason: null,
      actor: null,
      referencedAt: eb.fn.coalesce('referencedAt', eb.val(at)),
      lastRecordType: type,
      lastRecordId: id,
      writes: eb('writes', '+', 1),
      changedAt: eb.case('state').when('orphaned').then(at).else(eb.ref('changedAt')).end(),
      // This must be the last assignment. In MariaDB, an expression reads the new values of earlier
      // assignments.
      state: eb
        .case('state')
        .when('orphaned')
        .then<MediaState>('permanent')
        .else(eb.ref('state'))
        .end(),
    }))
    .where('id', '=', mediaId)
    .where('state', 'in', EXISTING)
    .executeTakeFirst()
  return numUpdatedRows > 0n // MariaDB may count only changed rows, but `writes` always changes.
}

/**
 * Locks the row of a file, and restores an orphaned file that this record last contained. Returns
 * false for any other orphaned file, or if the file no longer exists.
 */
async function lockUnmanaged(
  tx: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
  at: number,
): Promise<boolean> {
  const row = await lockRow(tx, mediaId)
  if (row?.state !== 'orphaned') {
    await writeLocked(tx, [mediaId])
    return row !== undefined && isExisting(row.state)
  }
  const isLastRecord = row.lastRecordType === place.type && row.lastRecordId === place.id
  return isLastRecord && (await lockManaged(tx, mediaId, place, at))
}

const selectAndLock = statement((db, { mediaId }: { readonly mediaId: string }) =>
  db.selectFrom('media').selectAll().where('id', '=', mediaId).forUpdate(),
)

async function lockRow(tx: LedgerConnection, mediaId: string) {
  return (await selectAndLock(tx, { mediaId })).rows[0]
}

/** Records that the owner of a file has saved an existing reference of another user. */
export async function markSavedByOwner(
  { db }: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
): Promise<void> {
  const update = db.updateTable('mediaReference').set({ byOwner: true })
  await update.where((eb) => eb.and(keyOf(mediaId, place))).execute()
}

/** Removes a reference. Returns false if there is none. Does not orphan the file. */
export async function dropReference(
  { db }: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
): Promise<boolean> {
  const drop = db.deleteFrom('mediaReference').where((eb) => eb.and(keyOf(mediaId, place)))
  return (await drop.executeTakeFirst()).numDeletedRows > 0n
}

/**
 * Changes the state of a file if no record references it, in its own READ COMMITTED transaction.
 * First locks the row of the file, and then reads its references with separate statements. A single
 * `UPDATE … WHERE NOT EXISTS` would read the references in a snapshot that is older than the lock.
 * See {@link addReference}.
 */
export function transitionUnlessReferenced(
  database: LedgerDatabase,
  mediaId: string,
  transition: Transition,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const row = await lockRow(tx, mediaId)
    if (!row || !transition.from.includes(row.state)) return false
    const { wasReferenced, orphanedBy, except, isByOwner = false } = transition
    if (orphanedBy !== undefined && (row.orphanedAt ?? 0) > orphanedBy) return false
    if (wasReferenced !== undefined && wasReferenced !== (row.referencedAt !== null)) return false
    if (except) await dropExcepted(tx, mediaId, except)
    if (await isReferenced(tx, mediaId, isByOwner)) return false
    if (isByOwner) await tx.db.deleteFrom('mediaReference').where('mediaId', '=', mediaId).execute()
    const { to, reason, actor, at } = transition
    await (to === 'orphaned' ? orphan : beginDeletion)(tx, { mediaId, reason, actor, at })
    return true
  })
}

type Change = Pick<Transition, 'reason' | 'actor' | 'at'> & { readonly mediaId: string }

const orphan = statement((db, { mediaId, reason, actor, at }: Change) =>
  db
    .updateTable('media')
    .set({ state: 'orphaned', changedAt: at, orphanedAt: at, reason, actor })
    .where('id', '=', mediaId),
)

const beginDeletion = statement((db, { mediaId, reason, actor, at }: Change) =>
  db
    .updateTable('media')
    .set({ state: 'deleting', changedAt: at, deletedAt: at, reason, actor })
    .where('id', '=', mediaId),
)

async function dropExcepted(
  tx: LedgerConnection,
  mediaId: string,
  { type, id, field }: NonNullable<Transition['except']>,
): Promise<void> {
  const find = tx.db
    .selectFrom('mediaReference')
    .select('field')
    .where('mediaId', '=', mediaId)
    .where('recordType', '=', type)
    .where('recordId', '=', id)
    .limit(2)
  const places = field === undefined ? await find.execute() : [{ field }]
  const [only, ...others] = places
  if (only && others.length === 0) await dropReference(tx, mediaId, { type, id, field: only.field })
}

/**
 * Returns true if a record references a file. The transaction must have locked the file's row.
 *
 * @param byOwner if true, counts only references that the file's owner or the application saved
 */
export async function isReferenced(
  tx: LedgerConnection,
  mediaId: string,
  byOwner = false,
): Promise<boolean> {
  const { find, findAndLock } = byOwner ? OWN_REFERENCES : ALL_REFERENCES
  // The first query takes no lock. So it still sees a reference that another transaction is
  // removing. Waiting for the other transaction could be a deadlock, because this transaction has
  // locked the row of the file. After its commit, the other transaction settles the file.
  if ((await find(tx, { mediaId })).rows.length > 0) return true
  // On SQLite, transactions exclude each other, so there is no other transaction.
  return tx.dialect !== 'sqlite' && (await findAndLock(tx, { mediaId })).rows.length > 0
}

const referencesBy = (savedBy: { readonly byOwner?: true }) => {
  const select = (db: Kysely<LedgerRows>, { mediaId }: { readonly mediaId: string }) => {
    const found = db.selectFrom('mediaReference').select('mediaId').limit(1)
    return found.where((eb) => eb.and({ mediaId, ...savedBy }))
  }
  return {
    find: statement(select),
    findAndLock: statement((db, key: Parameters<typeof select>[1]) => select(db, key).forUpdate()),
  }
}
const ALL_REFERENCES = referencesBy({})
const OWN_REFERENCES = referencesBy({ byOwner: true })

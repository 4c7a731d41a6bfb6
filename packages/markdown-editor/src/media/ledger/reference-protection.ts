import { type LedgerConnection, type LedgerDatabase, writeLocked } from './ledger-database.ts'
import { type DeletionReason, EXISTING, isExisting, type MediaState } from './medium.ts'
import type { Role } from './principal.ts'

/** A field of a record that mentions a file. */
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
  /** `user:<id>`, `sweep` or a label; null for the application without a label. */
  readonly actor: string | null
  readonly at: number
  /** If given, changes only files with `referencedAt` (true), or only files without it (false). */
  readonly wasReferenced?: boolean
  /** If given, changes only files that were orphaned at or before this time. */
  readonly orphanedBy?: number
  /**
   * A reference from this field does not protect the file, and is removed. Without a field, this
   * applies only if a single field of the record references the file.
   */
  readonly except?:
    | (Omit<ReferencePlace, 'field'> & { readonly field?: string | undefined })
    | undefined
  /** If true, references that other users saved do not protect the file, and are removed. */
  readonly isByOwner?: boolean
}

/**
 * Adds a reference. This is the writer's half of the reference protocol, and runs inside the
 * transaction of the record. The row of the file is written first and, if the file is an orphan,
 * restored. Only then is the reference inserted. So a transaction that deletes the file waits for
 * this one and sees the reference, unless it locked the row first. Then the writer finds no file.
 * On two nodes of a Galera cluster, neither transaction waits, but only one can commit.
 *
 * A temporary file can have references too, if a record was saved without finalizing.
 *
 * @param role null if the writer does not manage the file. Then the reference does not count as a
 * save of the file, and restores an orphan only if this record was the last one that contained it
 * @returns `kept` if the reference existed before, `missing` if the file no longer exists
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

/** Writes the row, which locks it. Returns false if the file no longer exists. */
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
      // This must be the last assignment, because in MariaDB an expression reads the new values of
      // previous assignments.
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
  return numUpdatedRows > 0n // `writes` always changes, so this needs no CLIENT_FOUND_ROWS.
}

/** Returns false if the file no longer exists, or is an orphan of another record. */
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

function lockRow({ db }: LedgerConnection, mediaId: string) {
  return db.selectFrom('media').selectAll().where('id', '=', mediaId).forUpdate().executeTakeFirst()
}

/** Records that the owner of a file has saved a reference that another user had written. */
export async function claimReference(
  { db }: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
): Promise<void> {
  const update = db.updateTable('mediaReference').set({ byOwner: true })
  await update.where((eb) => eb.and(keyOf(mediaId, place))).execute()
}

/** Removes a reference. The caller settles the file after the commit. */
export async function dropReference(
  { db }: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
): Promise<boolean> {
  const drop = db.deleteFrom('mediaReference').where((eb) => eb.and(keyOf(mediaId, place)))
  return (await drop.executeTakeFirst()).numDeletedRows > 0n
}

/**
 * The deleter's half of the reference protocol, in its own READ COMMITTED transaction: it first
 * locks the row of the file, and then reads its references with separate statements. A single
 * `UPDATE … WHERE NOT EXISTS` would read them in a snapshot that is older than the lock.
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
    await tx.db
      .updateTable('media')
      .set({ state: to, changedAt: at, reason, actor })
      .set(to === 'orphaned' ? { orphanedAt: at } : { deletedAt: at })
      .where('id', '=', mediaId)
      .execute()
    return true
  })
}

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

/** Whether a record references a file whose row this transaction has locked. */
export async function isReferenced(
  { db }: LedgerConnection,
  mediaId: string,
  byOwner = false,
): Promise<boolean> {
  const all = db
    .selectFrom('mediaReference')
    .select('mediaId')
    .where('mediaId', '=', mediaId)
    .limit(1)
  const find = byOwner ? all.where('byOwner', '=', true) : all
  // The first query takes no lock, so a reference that another transaction is removing still
  // counts. Waiting for that transaction while the row of the file is locked could be a deadlock.
  // That transaction settles the file itself after its commit.
  if (await find.executeTakeFirst()) return true
  return (await find.forUpdate().executeTakeFirst()) !== undefined
}

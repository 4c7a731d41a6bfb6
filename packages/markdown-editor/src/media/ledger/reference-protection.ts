import { type LedgerConnection, type LedgerDatabase, writeLocked } from './ledger-database.ts'
import { type DeletionReason, EXISTING, isExisting, type MediaState } from './medium.ts'
import type { Role } from './principal.ts'
import type { LedgerRows } from './schema.ts'

/** One place that mentions a file: a field of a record. */
export interface ReferencePlace {
  readonly type: string
  readonly id: string
  readonly field: string
}

/** The change of a file that no record references. */
export interface Transition {
  readonly from: readonly MediaState[]
  readonly to: 'orphaned' | 'deleting'
  readonly reason: DeletionReason
  /** `user:<id>`, `sweep` … */
  readonly actor: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
  /**
   * Only files that a user who manages them has saved in a record before (true), or never (false).
   */
  readonly wasReferenced?: boolean
  /** Only files that were orphans at this time, in milliseconds. */
  readonly orphanedBy?: number
  /**
   * A reference from here does not protect; it is removed. Without a field: the only reference of
   * this record; if it has several, they protect, because another field may need the file.
   */
  readonly except?: Omit<ReferencePlace, 'field'> & { readonly field?: string }
  /** True: references that other users than the owner saved do not protect; they are removed. */
  readonly isByOwner?: boolean
}

/**
 * The writer's half of the reference protocol, run inside the record's own transaction. First the
 * row of the file is written and, if it is an orphan, restored; only then the reference is
 * inserted. So a deleter either waits for this transaction and sees the reference, or was first,
 * and the writer finds no file. On two nodes of a Galera cluster neither waits, but only one of
 * them can commit.
 *
 * A temporary file takes references too (a record was saved without finalizing): it then outlives
 * `tempMaxAge`.
 *
 * @param role null when the writer does not manage the file: the reference protects the file while
 * the reference exists, but does not count as a save of the file, and restores an orphan only into
 * the record that last contained it. The application itself writes as `owner`
 * @returns `kept` when the reference existed before, `missing` when there is no such file any more
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
    .values({ ...keyOf(mediaId, place), byOwner: role === 'owner' ? 1 : 0 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n ? 'added' : 'kept'
}

function keyOf(mediaId: string, { type, id, field }: ReferencePlace) {
  return { mediaId, recordType: type, recordId: id, field }
}

/**
 * Writes the row, which locks it, and records that a user who manages the file saved it. Returns
 * false when there is no such file any more.
 */
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
      // Comes last, because MariaDB reads in an expression what was assigned before it.
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
  return numUpdatedRows > 0n // Also on connections without CLIENT_FOUND_ROWS, because `writes` always changes.
}

/** Locks the row for a user who does not manage the file. */
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

function lockRow(
  { db }: LedgerConnection,
  mediaId: string,
): Promise<LedgerRows['media'] | undefined> {
  return db.selectFrom('media').selectAll().where('id', '=', mediaId).forUpdate().executeTakeFirst()
}

/** Records that the owner of a file has saved a reference that another user had written before. */
export async function claimReference(
  { db }: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
): Promise<void> {
  const update = db.updateTable('mediaReference').set({ byOwner: 1 })
  await update.where((eb) => eb.and(keyOf(mediaId, place))).execute()
}

/** Removes a reference, if there is one. The caller settles the file after the commit. */
export async function dropReference(
  { db }: LedgerConnection,
  mediaId: string,
  place: ReferencePlace,
): Promise<boolean> {
  const drop = db.deleteFrom('mediaReference').where((eb) => eb.and(keyOf(mediaId, place)))
  return (await drop.executeTakeFirst()).numDeletedRows > 0n
}

/**
 * The deleter's half of the protocol, in a READ COMMITTED transaction of its own: the row of the
 * file is locked, and only then, by further statements, its references are looked for. One `UPDATE
 * … WHERE NOT EXISTS` is not enough, because it looks for references with the snapshot from before
 * it waited for the row.
 *
 * @returns false when the file is referenced or in another state
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

/**
 * Returns true if a record references a file whose row this transaction has locked.
 *
 * @param byOwner true: only references that the file's owner or the application saved count
 */
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
  const find = byOwner ? all.where('byOwner', '=', 1) : all
  // First without a lock: a reference that another transaction is just removing still counts.
  // Waiting for that transaction, with the file's row locked, could be a deadlock. It settles the
  // file itself after its commit.
  if (await find.executeTakeFirst()) return true
  return (await find.forUpdate().executeTakeFirst()) !== undefined
}

import type { SqlExecutor } from '@quillgate/server/database'
import { type LedgerDatabase, type LedgerTables, writeLocked } from './ledger-database.ts'
import type { Role } from './management.ts'
import type { DeletionReason, MediaState } from './medium.ts'
import type { LedgerRows } from './schema.ts'

/** One place that mentions a file: a field of a record. */
export interface ReferencePlace {
  readonly type: string
  readonly id: string
  readonly field: string
}

/** The change of a file that no record references. */
export interface Transition {
  /** Leave only from these states. */
  readonly from: readonly MediaState[]
  readonly to: 'orphaned' | 'deleting'
  readonly reason: DeletionReason
  /** The actor: `user:<id>`, `sweep` … */
  readonly actor: string | null
  readonly at: number
  /**
   * Leave only when who manages the file saved it in a record before (true) or never did (false).
   */
  readonly wasReferenced?: boolean
  /** Leave only when the file was an orphan by this time, in milliseconds. */
  readonly orphanedBy?: number
  /**
   * A reference from here does not protect; it is removed. Without a field: the only reference of
   * this record; where it has several, they protect, for another field may need the file.
   */
  readonly except?: Omit<ReferencePlace, 'field'> & { readonly field?: string }
  /**
   * True: references that other users than the owner saved do not protect; they are removed when
   * the file leaves.
   */
  readonly isByOwner?: boolean
}

/**
 * The writer's half of the reference protocol, run inside the record's own transaction: first the
 * row of the file is written and, where need be, brought back from `orphaned`; only then the
 * reference is inserted. So a deleter either waits for this transaction and sees the reference, or
 * was first, and the writer finds no file. On two nodes of a Galera cluster neither waits, but only
 * one of them can commit.
 *
 * A temporary file takes references too (a record was saved without finalizing): it then outlives
 * `tempMaxAge`.
 *
 * @param role null when the writer does not manage the file: the reference protects the file while
 * the reference exists, but does not count as a save of the file, and brings it back from
 * `orphaned` only into the record that held it. The application itself writes as `owner`
 * @returns `added`, `kept` when the place held it already, `missing` when there is no such file any
 * more
 */
export async function addReference(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
  at: number,
  role: Role = 'owner',
): Promise<'added' | 'kept' | 'missing'> {
  const isHeld =
    role === null
      ? await lockUnmanaged(tx, tables, mediaId, place, at)
      : await lockManaged(tx, tables, mediaId, place, at)
  if (!isHeld) return 'missing'
  const { numInsertedOrUpdatedRows } = await tables
    .on(tx)
    .insertInto('mediaReference')
    .values({
      mediaId,
      recordType: place.type,
      recordId: place.id,
      field: place.field,
      byOwner: role === 'owner' ? 1 : 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n ? 'added' : 'kept'
}

const REFERABLE: readonly MediaState[] = ['permanent', 'orphaned', 'temporary', 'promoting']

/**
 * Writes the row, which locks it, and remembers that a user who manages the file saved it.
 *
 * @returns false when there is no such file any more
 */
async function lockManaged(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  { type, id }: ReferencePlace,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tables
    .on(tx)
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
    .where('state', 'in', REFERABLE)
    .executeTakeFirst()
  return numUpdatedRows > 0n // Also on connections without CLIENT_FOUND_ROWS, because `writes` always changes.
}

/**
 * Locks the row for a user who does not manage the file. An orphan comes back only into its last
 * record.
 */
async function lockUnmanaged(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
  at: number,
): Promise<boolean> {
  const row = await lockRow(tx, tables, mediaId)
  if (row?.state !== 'orphaned') {
    await writeLocked(tx, tables, [mediaId])
    return row !== undefined && REFERABLE.includes(row.state)
  }
  const isLastRecord = row.lastRecordType === place.type && row.lastRecordId === place.id
  return isLastRecord && (await lockManaged(tx, tables, mediaId, place, at))
}

async function lockRow(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
): Promise<
  | Pick<
      LedgerRows['media'],
      'state' | 'lastRecordType' | 'lastRecordId' | 'referencedAt' | 'orphanedAt'
    >
  | undefined
> {
  return tables
    .on(tx)
    .selectFrom('media')
    .select(['state', 'lastRecordType', 'lastRecordId', 'referencedAt', 'orphanedAt'])
    .where('id', '=', mediaId)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Remembers that the owner of a file has saved a reference that another user had written before.
 */
export async function claimReference(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
): Promise<void> {
  await tables
    .on(tx)
    .updateTable('mediaReference')
    .set({ byOwner: 1 })
    .where('mediaId', '=', mediaId)
    .where('recordType', '=', place.type)
    .where('recordId', '=', place.id)
    .where('field', '=', place.field)
    .execute()
}

/**
 * Takes a reference away; the file itself is looked at after the commit. @returns whether there was
 * one
 */
export async function dropReference(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
): Promise<boolean> {
  const { numDeletedRows } = await tables
    .on(tx)
    .deleteFrom('mediaReference')
    .where('mediaId', '=', mediaId)
    .where('recordType', '=', place.type)
    .where('recordId', '=', place.id)
    .where('field', '=', place.field)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * The deleter's half of the protocol, in a READ COMMITTED transaction of its own: the row of the
 * file is locked, and only then, by further statements, its references are looked for. One `UPDATE
 * … WHERE NOT EXISTS` would not do: it looks for references with the snapshot from before it waited
 * for the row.
 *
 * @returns true when the file left; false when it is referenced or in another state
 */
export function transitionUnlessReferenced(
  database: LedgerDatabase,
  mediaId: string,
  transition: Transition,
): Promise<boolean> {
  const { tables } = database
  return database.transaction(async (tx) => {
    const row = await lockRow(tx, tables, mediaId)
    if (!row || !transition.from.includes(row.state)) return false
    const { wasReferenced, orphanedBy, except, isByOwner = false } = transition
    if (orphanedBy !== undefined && (row.orphanedAt ?? 0) > orphanedBy) return false
    if (wasReferenced !== undefined && wasReferenced !== (row.referencedAt !== null)) return false
    if (except) await dropExcepted(tx, tables, mediaId, except)
    if (await isReferenced(tx, tables, mediaId, isByOwner)) return false
    const db = tables.on(tx)
    if (isByOwner) await db.deleteFrom('mediaReference').where('mediaId', '=', mediaId).execute()
    const { to, reason, actor, at } = transition
    await db
      .updateTable('media')
      .set({ state: to, changedAt: at, reason, actor })
      .set(to === 'orphaned' ? { orphanedAt: at } : { deletedAt: at })
      .where('id', '=', mediaId)
      .execute()
    return true
  })
}

async function dropExcepted(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  { type, id, field }: NonNullable<Transition['except']>,
): Promise<void> {
  const find = tables
    .on(tx)
    .selectFrom('mediaReference')
    .select('field')
    .where('mediaId', '=', mediaId)
    .where('recordType', '=', type)
    .where('recordId', '=', id)
    .limit(2)
  const fields = field === undefined ? (await find.execute()).map((row) => row.field) : [field]
  const [only] = fields
  if (fields.length === 1 && only !== undefined)
    await dropReference(tx, tables, mediaId, { type, id, field: only })
}

/**
 * Whether a record references a file whose row this transaction has locked.
 *
 * @param byOwner true: only references count that the owner of the file saved, or the application
 */
export async function isReferenced(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  byOwner = false,
): Promise<boolean> {
  const all = tables
    .on(tx)
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

import {
  list,
  lockClause,
  type Row,
  raw,
  type SqlExecutor,
  type SqlStatement,
  sqlFor,
  toNumber,
} from '@quillgate/server/database'
import type { Role } from '../management.ts'
import {
  affectedBy,
  type LedgerDatabase,
  type LedgerTables,
  rowsOf,
  writeLocked,
} from './ledger-database.ts'
import type { DeletionReason, MediaState } from './medium.ts'

/** One place that mentions a file: a field of a record. */
export interface ReferencePlace {
  readonly type: string
  readonly id: string
  readonly field: string
}

/** What becomes of a file that nothing references. */
export interface Departure {
  /** Leave only from these states. */
  readonly from: readonly MediaState[]
  readonly to: 'orphaned' | 'deleting'
  readonly reason: DeletionReason
  /** Who caused it: `user:<id>`, `sweep` … */
  readonly actor: string | null
  readonly at: number
  /** Leave only when who manages the file saved it in a record before (true) or never did (false). */
  readonly wasReferenced?: boolean
  /** Leave only when the file was an orphan by this time, in milliseconds. */
  readonly orphanedBy?: number
  /**
   * A reference from here does not protect; it is removed. Without a field: the only reference of this record; where it
   * has several, they protect, for another field may need the file.
   */
  readonly except?: Omit<ReferencePlace, 'field'> & { readonly field?: string }
  /** True: references that other users than the owner saved do not protect; they are removed when the file leaves. */
  readonly isByOwner?: boolean
}

/**
 * The writer's half of the reference protocol, run inside the record's own transaction: first the row of the file is
 * written and, where need be, brought back from `orphaned`; only then the reference is inserted. So a deleter either
 * waits for this transaction and sees the reference, or was first, and the writer finds no file. On two nodes of a Galera
 * cluster neither waits, but only one of them can commit.
 *
 * A temporary file takes references too (a record was saved without finalizing): it then outlives `tempMaxAge`.
 *
 * @param role null when the writer does not manage the file: the reference protects the file while the reference
 * exists, but does not count as a save of the file, and brings it back from `orphaned` only into the record that held
 * it. The application itself writes as `owner`
 * @returns `added`, `kept` when the place held it already, `missing` when there is no such file any more
 */
export async function holdReference(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
  at: number,
  role: Role = 'owner',
): Promise<'added' | 'kept' | 'missing'> {
  const isHeld =
    role === null
      ? await holdOther(tx, tables, mediaId, place, at)
      : await holdManaged(tx, tables, mediaId, place, at)
  if (!isHeld) return 'missing'
  const sql = sqlFor(tx.dialect)
  // INSERT IGNORE, for MariaDB counts a row as affected in ON DUPLICATE KEY too.
  const [insert, orNot] =
    tx.dialect === 'mariadb'
      ? [raw('INSERT IGNORE'), raw('')]
      : [raw('INSERT'), raw('ON CONFLICT DO NOTHING')]
  const inserted = await affectedBy(
    tx,
    sql`${insert} INTO ${tables.reference} (media_id, record_type, record_id, field, by_owner)
      VALUES (${mediaId}, ${place.type}, ${place.id}, ${place.field}, ${role === 'owner' ? 1 : 0}) ${orNot}`,
  )
  return inserted > 0 ? 'added' : 'kept'
}

const REFERABLE: readonly MediaState[] = ['permanent', 'orphaned', 'temporary', 'promoting']

/**
 * Writes the row, which locks it, and remembers that somebody who manages the file saved it.
 *
 * @returns false when there is no such file any more
 */
async function holdManaged(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  { type, id }: ReferencePlace,
  at: number,
): Promise<boolean> {
  const sql = sqlFor(tx.dialect)
  // The state comes last: MariaDB reads in an expression what was assigned before it.
  const held = await affectedBy(
    tx,
    sql`UPDATE ${tables.media} SET orphaned_at = NULL, reason = NULL, actor = NULL, referenced_at = COALESCE(referenced_at, ${at}),
      last_record_type = ${type}, last_record_id = ${id},
      writes = writes + 1, changed_at = CASE state WHEN 'orphaned' THEN ${at} ELSE changed_at END,
      state = CASE state WHEN 'orphaned' THEN 'permanent' ELSE state END
      WHERE id = ${mediaId} AND state IN (${list(REFERABLE)})`,
  )
  return held > 0 // Also on connections without CLIENT_FOUND_ROWS, because `writes` always changes.
}

/** The same for somebody who does not manage the file: nothing of it changes but in the record that held it. */
async function holdOther(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
  at: number,
): Promise<boolean> {
  const row = await lockRow(tx, tables, mediaId)
  if (row?.['state'] !== 'orphaned') {
    await writeLocked(tx, tables, [mediaId])
    return REFERABLE.includes(row?.['state'] as MediaState)
  }
  const isHolder = row['last_record_type'] === place.type && row['last_record_id'] === place.id
  return isHolder && (await holdManaged(tx, tables, mediaId, place, at))
}

async function lockRow(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
): Promise<Row | undefined> {
  const sql = sqlFor(tx.dialect)
  const lock = raw(lockClause(tx.dialect))
  const [row] = await rowsOf(
    tx,
    sql`SELECT state, last_record_type, last_record_id, referenced_at, orphaned_at FROM ${tables.media} WHERE id = ${mediaId}${lock}`,
  )
  return row
}

/** Remembers that the owner of a file has saved a reference that another user had written before. */
export async function claimReference(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
): Promise<void> {
  const sql = sqlFor(tx.dialect)
  await affectedBy(
    tx,
    sql`UPDATE ${tables.reference} SET by_owner = 1 WHERE media_id = ${mediaId} AND record_type = ${place.type}
      AND record_id = ${place.id} AND field = ${place.field}`,
  )
}

/** Takes a reference away; the file itself is looked at after the commit. @returns whether there was one */
export async function dropReference(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  place: ReferencePlace,
): Promise<boolean> {
  const sql = sqlFor(tx.dialect)
  const dropped = await affectedBy(
    tx,
    sql`DELETE FROM ${tables.reference} WHERE media_id = ${mediaId} AND record_type = ${place.type}
      AND record_id = ${place.id} AND field = ${place.field}`,
  )
  return dropped > 0
}

/**
 * The deleter's half of the protocol, in a READ COMMITTED transaction of its own: the row of the file is locked, and
 * only then, by further statements, its references are looked for. One `UPDATE … WHERE NOT EXISTS` would not do: it
 * looks for references with the snapshot from before it waited for the row.
 *
 * @returns true when the file left; false when it is referenced or in another state
 */
export function leaveUnlessReferenced(
  database: LedgerDatabase,
  mediaId: string,
  departure: Departure,
): Promise<boolean> {
  const { tables } = database
  return database.transaction(async (tx) => {
    const row = await lockRow(tx, tables, mediaId)
    if (!row || !departure.from.includes(row['state'] as MediaState)) return false
    const { wasReferenced, orphanedBy, except, isByOwner = false } = departure
    if (orphanedBy !== undefined && toNumber(row['orphaned_at']) > orphanedBy) return false
    if (wasReferenced !== undefined && wasReferenced !== (row['referenced_at'] !== null))
      return false
    if (except) await dropExcepted(tx, tables, mediaId, except)
    if (await isReferenced(tx, tables, mediaId, isByOwner)) return false
    if (isByOwner) await dropAll(tx, tables, mediaId)
    await affectedBy(tx, departureStatement(database, mediaId, departure))
    return true
  })
}

async function dropExcepted(
  tx: SqlExecutor,
  tables: LedgerTables,
  mediaId: string,
  { type, id, field }: NonNullable<Departure['except']>,
): Promise<void> {
  const sql = sqlFor(tx.dialect)
  const find = sql`SELECT field FROM ${tables.reference}
    WHERE media_id = ${mediaId} AND record_type = ${type} AND record_id = ${id} LIMIT 2`
  const fields =
    field === undefined ? (await rowsOf(tx, find)).map((row) => String(row['field'])) : [field]
  const [only] = fields
  if (fields.length === 1 && only !== undefined)
    await dropReference(tx, tables, mediaId, { type, id, field: only })
}

async function dropAll(tx: SqlExecutor, tables: LedgerTables, mediaId: string): Promise<void> {
  await affectedBy(
    tx,
    sqlFor(tx.dialect)`DELETE FROM ${tables.reference} WHERE media_id = ${mediaId}`,
  )
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
  const sql = sqlFor(tx.dialect)
  const only = raw(byOwner ? 'AND by_owner = 1' : '')
  const find = sql`SELECT media_id FROM ${tables.reference} WHERE media_id = ${mediaId} ${only} LIMIT 1`
  // Looked at first without a lock: a reference that another transaction is just removing still counts. Waiting for that
  // transaction, with the file's row locked, could be a deadlock; it settles the file itself after its commit.
  if ((await rowsOf(tx, find)).length > 0) return true
  const locked = { sql: find.sql + lockClause(tx.dialect), params: find.params }
  return (await rowsOf(tx, locked)).length > 0
}

function departureStatement(
  { sql, tables }: LedgerDatabase,
  mediaId: string,
  departure: Departure,
): SqlStatement {
  const { to, reason, actor, at } = departure
  const time = raw(to === 'orphaned' ? 'orphaned_at' : 'deleted_at')
  return sql`UPDATE ${tables.media} SET state = ${to}, changed_at = ${at}, ${time} = ${at},
    reason = ${reason}, actor = ${actor} WHERE id = ${mediaId}`
}

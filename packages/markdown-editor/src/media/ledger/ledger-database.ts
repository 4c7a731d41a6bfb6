import {
  batchesOf,
  type Database,
  type Dialect,
  type SqlExecutor,
} from '@quillgate/server/database'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Medium } from './medium.ts'
import { type LedgerRows, ledgerTables } from './schema.ts'

/** Kysely's query builder for the ledger tables, on one connection or transaction. */
export interface LedgerConnection {
  readonly dialect: Dialect
  readonly db: Kysely<LedgerRows>
  /** The statements that this ledger has compiled, see `statement`. */
  readonly compiled: Map<object, CompiledQuery>
}

/** The database of the ledger, which has a row for each file. `db` runs without a transaction. */
export interface LedgerDatabase extends LedgerConnection {
  /**
   * Like `db`, but faster. A power failure may undo statements. A crash of the process does not.
   */
  readonly relaxed: LedgerConnection
  /** Returns the query builder for a transaction of the application. */
  on(executor: SqlExecutor): LedgerConnection
  /** Runs a READ COMMITTED transaction (SQLite: BEGIN IMMEDIATE). Repeats it after a deadlock. */
  transaction<Result>(work: (tx: LedgerConnection) => Promise<Result>): Promise<Result>
}

/** Opens the ledger in a database. */
export function createLedgerDatabase(database: Database, prefix: string): LedgerDatabase {
  const compiled = new Map<object, CompiledQuery>()
  const on = (executor: SqlExecutor): LedgerConnection => ({
    dialect: executor.dialect,
    db: ledgerTables.on(executor, prefix),
    compiled,
  })
  return {
    ...on(database.executor(database.kysely)),
    relaxed: on(database.executor(database.kysely, { durable: false })),
    on,
    transaction: (work) => database.transaction((trx) => work(on(database.executor(trx)))),
  }
}

/** Reads the rows with these ids, in any state. */
export async function findMedia(
  { db }: LedgerConnection,
  ids: Iterable<string>,
): Promise<Map<string, Medium>> {
  const found = new Map<string, Medium>()
  for (const some of batchesOf([...new Set(ids)])) {
    const rows = await db.selectFrom('media').selectAll().where('id', 'in', some).execute()
    for (const row of rows) found.set(row.id, toMedium(row))
  }
  return found
}

/** Converts a row of the table `media` to a {@link Medium}. */
export function toMedium(row: LedgerRows['media']): Medium {
  const { lastRecordType: type, lastRecordId: id } = row
  // Does not use rest properties, because they are slow in long lists of files.
  return {
    id: row.id,
    state: row.state,
    owner: row.owner,
    name: row.name,
    type: row.type,
    size: row.size,
    checksum: row.checksum,
    tempKey: row.tempKey,
    key: row.permanentKey,
    width: row.width,
    height: row.height,
    createdAt: row.createdAt,
    finalizedAt: row.finalizedAt,
    referencedAt: row.referencedAt,
    savedIn: type === null || id === null ? null : { type, id },
    orphanedAt: row.orphanedAt,
    deletedAt: row.deletedAt,
    reason: row.reason,
    actor: row.actor,
  }
}

/**
 * On MariaDB, writes locked rows. Nodes of a Galera cluster do not share locks, but if two nodes
 * write the same row, only one of them can commit.
 */
export async function writeLocked(
  { db, dialect }: LedgerConnection,
  ids: readonly string[],
): Promise<void> {
  if (dialect !== 'mariadb') return
  for (const some of batchesOf(ids)) {
    const update = db.updateTable('media').set((eb) => ({ writes: eb('writes', '+', 1) }))
    await update.where('id', 'in', some).execute()
  }
}

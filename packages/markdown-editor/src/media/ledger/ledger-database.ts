import type { Database, Dialect, SqlExecutor } from '@quillgate/server/database'
import type { Kysely } from 'kysely'
import { type LedgerRows, ledgerTables } from './schema.ts'

/** The tables of one ledger. */
export interface LedgerTables {
  /** Returns Kysely's query builder, whose statements run on an executor. */
  on(executor: SqlExecutor): Kysely<LedgerRows>
}

/** The database of the ledger, as the modules of `media` use it. */
export interface LedgerDatabase {
  readonly dialect: Dialect
  readonly tables: LedgerTables
  /** Runs single statements, outside any transaction. */
  readonly executor: SqlExecutor
  /** Like `executor`, for statements that a power failure may undo, though no killed process. */
  readonly relaxed: SqlExecutor
  /**
   * Runs `work` in one READ COMMITTED transaction of the ledger (SQLite: BEGIN IMMEDIATE), again
   * after a deadlock.
   */
  transaction<Result>(work: (tx: SqlExecutor) => Promise<Result>): Promise<Result>
}

/** Opens the ledger in a database. @param prefix the start of its table names */
export function createLedgerDatabase(database: Database, prefix: string): LedgerDatabase {
  return {
    dialect: database.dialect,
    tables: { on: (executor) => ledgerTables.on(executor, prefix) },
    executor: database.executor(database.kysely),
    relaxed: database.executor(database.kysely, { durable: false }),
    transaction: (work) => database.transaction((trx) => work(database.executor(trx))),
  }
}

/** All engines take more parameters than this. */
const IDS_PER_STATEMENT = 500

/** Divides ids, each taken once, into lists that one statement takes. */
export function* batchesOf(ids: Iterable<string>): Generator<readonly string[]> {
  const all = [...new Set(ids)]
  for (let start = 0; start < all.length; start += IDS_PER_STATEMENT)
    yield all.slice(start, start + IDS_PER_STATEMENT)
}

/**
 * Writes rows of files that this transaction has locked. The nodes of a Galera cluster do not share
 * locks, but of two transactions that write the same row only one can commit. Other databases than
 * MariaDB need no write.
 */
export async function writeLocked(
  tx: SqlExecutor,
  tables: LedgerTables,
  ids: readonly string[],
): Promise<void> {
  if (tx.dialect !== 'mariadb') return
  for (const some of batchesOf(ids)) {
    await tables
      .on(tx)
      .updateTable('media')
      .set((eb) => ({ writes: eb('writes', '+', 1) }))
      .where('id', 'in', some)
      .execute()
  }
}

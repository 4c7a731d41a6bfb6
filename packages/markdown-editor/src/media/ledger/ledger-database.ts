import {
  type Database,
  type Dialect,
  identifier,
  list,
  type Row,
  type SqlExecutor,
  type SqlFragment,
  type SqlStatement,
  type SqlTag,
  sqlFor,
} from '@quillgate/server/database'
import { type MediaTables, mediaTables } from './schema.ts'

/** The tables of the ledger, quoted for a statement. */
export type LedgerTables = { readonly [Name in keyof MediaTables]: SqlFragment }

/** The database of the ledger, as the modules of `media` use it. */
export interface LedgerDatabase {
  readonly dialect: Dialect
  readonly tables: LedgerTables
  /** Writes statements in the ledger's dialect. */
  readonly sql: SqlTag
  /** Runs single statements, outside any transaction. */
  readonly executor: SqlExecutor
  /** The same for what a power failure may undo, though no killed process. */
  readonly lax: SqlExecutor
  /** Runs `work` in one READ COMMITTED transaction of the ledger (SQLite: BEGIN IMMEDIATE), again after a deadlock. */
  transaction<Result>(work: (tx: SqlExecutor) => Promise<Result>): Promise<Result>
}

/** Sees an open database as the ledger's. @param prefix what its table names begin with */
export function createLedgerDatabase(database: Database, prefix: string): LedgerDatabase {
  const names = mediaTables(prefix)
  return {
    dialect: database.dialect,
    tables: {
      media: identifier(names.media),
      reference: identifier(names.reference),
      meta: identifier(names.meta),
    },
    sql: sqlFor(database.dialect),
    executor: database.executor(database.kysely),
    lax: database.executor(database.kysely, { durable: false }),
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

/** The rows that a statement returns. */
export function rowsOf(executor: SqlExecutor, statement: SqlStatement): Promise<Row[]> {
  return executor.query(statement.sql, statement.params)
}

/** How many rows a statement matched. */
export async function affectedBy(executor: SqlExecutor, statement: SqlStatement): Promise<number> {
  return (await executor.execute(statement.sql, statement.params)).affected
}

/**
 * Writes rows of files that this transaction has locked. Nodes of a Galera cluster know nothing of each other's locks,
 * but of two transactions that write the same row only one can commit. Other databases than MariaDB need no write.
 */
export async function writeLocked(
  tx: SqlExecutor,
  tables: LedgerTables,
  ids: readonly string[],
): Promise<void> {
  if (tx.dialect !== 'mariadb') return
  const sql = sqlFor(tx.dialect)
  for (const some of batchesOf(ids)) {
    await affectedBy(
      tx,
      sql`UPDATE ${tables.media} SET writes = writes + 1 WHERE id IN (${list(some)})`,
    )
  }
}

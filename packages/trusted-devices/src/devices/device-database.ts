import {
  type Database,
  identifier,
  lockClause,
  type Row,
  raw,
  type SqlExecutor,
  type SqlFragment,
  type SqlStatement,
  type SqlTag,
  sqlFor,
} from '@quillgate/database'
import { QuillgateError } from '@quillgate/http'
import { type DeviceTables, deviceTables } from './schema.ts'

/** The database of this component, as the modules of `devices` use it. */
export interface DeviceDatabase {
  readonly tables: { readonly [Name in keyof DeviceTables]: SqlFragment }
  /** Writes statements in the dialect of the database. */
  readonly sql: SqlTag
  /** Runs single statements, outside any transaction. */
  readonly executor: SqlExecutor
  /**
   * Runs `work` in a transaction that first takes the lock of one user: all changes that can give a fact go through
   * here, so that they see each other's result. It may run again after a deadlock.
   *
   * @param now milliseconds since the epoch
   */
  forUser<Result>(userId: string, now: number, work: (tx: SqlExecutor) => Promise<Result>): Promise<Result>
}

const LOCK_ATTEMPTS = 10

/** Sees an open database as that of this component. @param prefix what its table names begin with */
export function createDeviceDatabase(database: Database, prefix: string): DeviceDatabase {
  const names = deviceTables(prefix)
  const tables = {
    owner: identifier(names.owner),
    device: identifier(names.device),
    past: identifier(names.past),
    outbox: identifier(names.outbox),
  }
  const sql = sqlFor(database.dialect)
  const isMariaDb = database.dialect === 'mariadb'
  const ignore = raw(isMariaDb ? ' IGNORE' : '')
  const onConflict = raw(isMariaDb ? '' : ' ON CONFLICT DO NOTHING')
  const lock = raw(lockClause(database.dialect))

  async function lockOwner(tx: SqlExecutor, userId: string, now: number): Promise<void> {
    const select = sql`SELECT user_id FROM ${tables.owner} WHERE user_id = ${userId}${lock}`
    const insert = sql`INSERT${ignore} INTO ${tables.owner} (user_id, created_at) VALUES (${userId}, ${now})${onConflict}`
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      if ((await rowsOf(tx, select)).length > 0) return
      // Another transaction may insert the row first, or delete it before it is locked: then once more.
      await affectedBy(tx, insert)
    }
    throw new QuillgateError('database_busy', 503, 'The devices of this user are busy. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    })
  }

  return {
    tables,
    sql,
    executor: database.executor(database.kysely),
    forUser: (userId, now, work) =>
      database.transaction(async (trx) => {
        const tx = database.executor(trx)
        await lockOwner(tx, userId, now)
        return work(tx)
      }),
  }
}

/** The rows that a statement returns. */
export function rowsOf(executor: SqlExecutor, statement: SqlStatement): Promise<Row[]> {
  return executor.query(statement.sql, statement.params)
}

/** How many rows a statement matched. */
export async function affectedBy(executor: SqlExecutor, statement: SqlStatement): Promise<number> {
  return (await executor.execute(statement.sql, statement.params)).affected
}

import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Database,
  identifier,
  isTransient,
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
import { type DeviceTables, deviceTables } from './tables.ts'

/** The database of this component, as the modules of `devices` use it. */
export interface DeviceDatabase {
  readonly tables: { readonly [Name in keyof DeviceTables]: SqlFragment }
  /** Writes statements in the dialect of the database. */
  readonly sql: SqlTag
  /** Runs single statements, outside any transaction, and again after a deadlock. */
  readonly executor: SqlExecutor
  /** The same for statements that a power failure may undo without harm: it does not wait for the disk. */
  readonly undurable: SqlExecutor
  /**
   * Runs `work` in a transaction that first takes the lock of one user: all changes that can give a fact go through
   * here, so that they see each other's result. It may run again after a deadlock.
   *
   * @param now milliseconds since the epoch
   */
  forUser<Result>(userId: string, now: number, work: (tx: SqlExecutor) => Promise<Result>): Promise<Result>
  /** The same for work that registers nothing: of a user who was never here, or was erased, no row stays. */
  forKnownUser<Result>(userId: string, now: number, work: (tx: SqlExecutor) => Promise<Result>): Promise<Result>
}

const LOCK_ATTEMPTS = 10
const STATEMENT_ATTEMPTS = 6
const STATEMENT_PATIENCE = 5000 // Milliseconds, after which a failed statement is not run again.

/** Sees an open database as that of this component. @param prefix what its table names begin with */
export function createDeviceDatabase(database: Database, prefix: string): DeviceDatabase {
  const names = deviceTables(prefix)
  const tables = {
    owner: identifier(names.owner),
    device: identifier(names.device),
    past: identifier(names.past),
    outbox: identifier(names.outbox),
    country: identifier(names.country),
    alert: identifier(names.alert),
  }
  const sql = sqlFor(database.dialect)
  const isMariaDb = database.dialect === 'mariadb'
  const ignore = raw(isMariaDb ? ' IGNORE' : '')
  const onConflict = raw(isMariaDb ? '' : ' ON CONFLICT DO NOTHING')
  const lock = raw(lockClause(database.dialect))

  /** @returns whether the row is new */
  async function lockOwner(tx: SqlExecutor, userId: string, now: number): Promise<boolean> {
    const select = sql`SELECT user_id FROM ${tables.owner} WHERE user_id = ${userId}${lock}`
    const insert = sql`INSERT${ignore} INTO ${tables.owner} (user_id, created_at) VALUES (${userId}, ${now})${onConflict}`
    let isNew = false
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      if ((await rowsOf(tx, select)).length > 0) return isNew
      // Another transaction may insert the row first, or delete it before it is locked: then once more.
      isNew = (await affectedBy(tx, insert)) > 0
    }
    throw new QuillgateError('database_busy', 503, 'The devices of this user are busy. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    })
  }

  return {
    tables,
    sql,
    executor: patient(database.executor(database.kysely)),
    undurable: patient(database.executor(database.kysely, { durable: false })),
    forUser: (userId, now, work) =>
      database.transaction(async (trx) => {
        const tx = database.executor(trx)
        await lockOwner(tx, userId, now)
        return work(tx)
      }),
    forKnownUser: (userId, now, work) =>
      database.transaction(async (trx) => {
        const tx = database.executor(trx)
        const isNew = await lockOwner(tx, userId, now) // Inserted to wait for a first login that is under way.
        const result = await work(tx)
        if (isNew) await affectedBy(tx, sql`DELETE FROM ${tables.owner} WHERE user_id = ${userId}`)
        return result
      }),
  }
}

/** A statement of its own that failed only because of others had no effect, and may run again. */
function patient(executor: SqlExecutor): SqlExecutor {
  const run = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + STATEMENT_PATIENCE
    for (let attempt = 1; ; attempt++) {
      try {
        return await statement()
      } catch (error) {
        if (!isTransient(error) || attempt === STATEMENT_ATTEMPTS || performance.now() >= deadline) throw error
        await sleep(10 * 2 ** attempt * Math.random()) // Random, so that those who met do not meet again.
      }
    }
  }
  return {
    dialect: executor.dialect,
    query: (sql, params) => run(() => executor.query(sql, params)),
    execute: (sql, params) => run(() => executor.execute(sql, params)),
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

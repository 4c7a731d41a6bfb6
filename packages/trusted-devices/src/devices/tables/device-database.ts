import {
  type Database,
  identifier,
  type Row,
  raw,
  type SqlExecutor,
  type SqlFragment,
  type SqlStatement,
  type SqlTag,
  sqlFor,
  toNumber,
} from '@quillgate/server/database'
import { type DeviceTables, deviceTables } from './tables.ts'

/** The database of this component, as the modules of `devices` use it. */
export interface DeviceDatabase {
  readonly tables: { readonly [Name in keyof DeviceTables]: SqlFragment }
  /** Writes statements in the dialect of the database. */
  readonly sql: SqlTag
  /** Runs single statements, outside any transaction, and again after a deadlock. */
  readonly executor: SqlExecutor
  /** Runs single statements that a power failure may undo. It does not wait for the disk. */
  readonly undurable: SqlExecutor
  /**
   * Runs `work` in a transaction that first takes the lock of one user: all changes that can give a fact go through
   * here, so that they see each other's result. It may run again after a deadlock.
   *
   * @param now milliseconds since the epoch
   */
  forUser<Result>(
    userId: string,
    now: number,
    work: (tx: SqlExecutor) => Promise<Result>,
  ): Promise<Result>
  /** Does the same for work that registers no device. It leaves no row for a user without one. */
  forKnownUser<Result>(
    userId: string,
    now: number,
    work: (tx: SqlExecutor) => Promise<Result>,
  ): Promise<Result>
}

/** Sees an open database as that of this component. @param prefix what its table names begin with */
export function createDeviceDatabase(database: Database, prefix: string): DeviceDatabase {
  const names = deviceTables(prefix)
  const tables = {
    owner: identifier(names.owner),
    device: identifier(names.device),
    revoked: identifier(names.revoked),
    outbox: identifier(names.outbox),
    alert: identifier(names.alert),
  }
  const sql = sqlFor(database.dialect)
  const onConflict = raw(
    database.dialect === 'mariadb'
      ? 'ON DUPLICATE KEY UPDATE'
      : 'ON CONFLICT (user_id) DO UPDATE SET',
  )

  /**
   * Writes the owner's row, which locks it. A lock alone is not enough on a Galera cluster: its nodes do not share
   * locks, but of two transactions that write the same row only one can commit.
   *
   * @returns whether the row is new
   */
  async function lockOwner(tx: SqlExecutor, userId: string, now: number): Promise<boolean> {
    const [row] = await rowsOf(
      tx,
      sql`INSERT INTO ${tables.owner} (user_id, created_at, changes) VALUES (${userId}, ${now}, 1)
        ${onConflict} changes = ${tables.owner}.changes + 1 RETURNING changes`,
    )
    return toNumber(row?.['changes']) === 1
  }

  return {
    tables,
    sql,
    executor: database.executor(database.kysely),
    undurable: database.executor(database.kysely, { durable: false }),
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

/** The rows that a statement returns. */
export function rowsOf(executor: SqlExecutor, statement: SqlStatement): Promise<Row[]> {
  return executor.query(statement.sql, statement.params)
}

/** How many rows a statement matched. */
export async function affectedBy(executor: SqlExecutor, statement: SqlStatement): Promise<number> {
  return (await executor.execute(statement.sql, statement.params)).affected
}

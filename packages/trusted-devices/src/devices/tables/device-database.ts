import type { Database, SqlExecutor } from '@quillgate/server/database'
import type { JobTable } from '@quillgate/server/jobs'
import type { Kysely } from 'kysely'
import { type DeviceRows, deviceTables, outboxTable } from './schema.ts'

/** The database of this component, as the modules of `devices` use it. */
export interface DeviceDatabase {
  /** Returns Kysely's query builder on the tables, whose statements run on an executor. */
  on(executor: SqlExecutor): Kysely<DeviceRows>
  /** The jobs of the outbox. */
  readonly outbox: JobTable
  /** Runs single statements, outside any transaction, and again after a deadlock. */
  readonly executor: SqlExecutor
  /** Runs single statements that a power failure may undo. It does not wait for the disk. */
  readonly undurable: SqlExecutor
  /**
   * Runs `work` in a transaction that first takes the lock of one user: all changes that can give a
   * event go through here, so that they see each other's result. It may run again after a deadlock.
   *
   * @param now milliseconds since the epoch
   * @param work gets whether the user never had a device
   */
  forUser<Result>(
    userId: string,
    now: number,
    work: (tx: SqlExecutor, isNewUser: boolean) => Promise<Result>,
  ): Promise<Result>
  /** Does the same for work that registers no device. It leaves no row for a user without one. */
  forKnownUser<Result>(
    userId: string,
    now: number,
    work: (tx: SqlExecutor, isNewUser: boolean) => Promise<Result>,
  ): Promise<Result>
}

/** Creates the database of an instance. @param prefix the start of its table names */
export function createDeviceDatabase(database: Database, prefix: string): DeviceDatabase {
  const on = (executor: SqlExecutor): Kysely<DeviceRows> => deviceTables.on(executor, prefix)

  /**
   * Writes the owner's row, which locks it. A lock alone is not enough on a Galera cluster: its
   * nodes do not share locks, but of two transactions that write the same row only one can commit.
   *
   * @returns whether the row is new
   */
  async function lockOwner(tx: SqlExecutor, userId: string, now: number): Promise<boolean> {
    const { changes } = await on(tx)
      .insertInto('deviceOwner')
      .values({ userId, createdAt: now, changes: 1 })
      .onConflict((conflict) =>
        conflict
          .column('userId')
          .doUpdateSet((eb) => ({ changes: eb('deviceOwner.changes', '+', 1) })),
      )
      .returning('changes')
      .executeTakeFirstOrThrow()
    return changes === 1
  }

  return {
    on,
    outbox: outboxTable(prefix),
    executor: database.executor(database.kysely),
    undurable: database.executor(database.kysely, { durable: false }),
    forUser: (userId, now, work) =>
      database.transaction(async (trx) => {
        const tx = database.executor(trx)
        return work(tx, await lockOwner(tx, userId, now))
      }),
    forKnownUser: (userId, now, work) =>
      database.transaction(async (trx) => {
        const tx = database.executor(trx)
        const isNew = await lockOwner(tx, userId, now) // Inserted to wait for a first login that is under way.
        const result = await work(tx, isNew)
        if (isNew) await on(tx).deleteFrom('deviceOwner').where('userId', '=', userId).execute()
        return result
      }),
  }
}

import type { Database, SqlExecutor } from '@quillgate/server/database'
import type { JobTable } from '@quillgate/server/jobs'
import type { Kysely } from 'kysely'
import { DeviceTable, selectDevice } from './device-table.ts'
import { RevokedTable } from './revoked-table.ts'
import { type DeviceRows, deviceTables, outboxTable } from './schema.ts'

/**
 * The tables of devices. All their statements run on one executor, for example in a transaction.
 */
export interface Tables {
  readonly devices: DeviceTable
  readonly revoked: RevokedTable
}

/** The tables in the transaction of one user. */
export interface UserTransaction extends Tables {
  readonly tx: SqlExecutor
  /** True if no device was registered for the user, or none since the data was erased. */
  readonly isNewUser: boolean
}

/** The database of this component. */
export class DeviceDatabase implements Tables {
  readonly outbox: JobTable
  /** Runs single statements outside of transactions. Repeats them after a deadlock. */
  readonly executor: SqlExecutor
  /** Runs single statements without waiting for the disk. A power failure may undo them. */
  readonly relaxed: SqlExecutor
  readonly devices: DeviceTable
  readonly revoked: RevokedTable
  readonly #database: Database
  readonly #prefix: string
  readonly #find: string

  constructor(database: Database, prefix: string) {
    this.#database = database
    this.#prefix = prefix
    this.outbox = outboxTable(prefix)
    this.executor = database.executor(database.kysely)
    this.relaxed = database.executor(database.kysely, { durable: false })
    const rows = this.on(this.executor)
    this.#find = selectDevice(rows)
    this.devices = new DeviceTable(this.executor, rows, this.#find)
    this.revoked = new RevokedTable(rows)
  }

  /** Returns a Kysely query builder whose statements run on an executor. */
  on(executor: SqlExecutor): Kysely<DeviceRows> {
    return deviceTables.on(executor, this.#prefix)
  }

  /**
   * Runs `work` in a transaction that first takes the lock of one user. Changes of a user therefore
   * run one after the other. After a deadlock, `work` may run again.
   *
   * @param registers true if `work` may register a device. If it is false and the user is new, the
   * owner's row is deleted again.
   */
  forUser<Result>(
    userId: string,
    now: number,
    registers: boolean,
    work: (transaction: UserTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#database.transaction(async (trx) => {
      const tx = this.#database.executor(trx)
      const rows = this.on(tx)
      // If the user has no row, this call inserts one. It therefore also waits for a concurrent
      // first login of the user.
      const isNewUser = await lockOwner(rows, userId, now)
      const devices = new DeviceTable(tx, rows, this.#find)
      const result = await work({ tx, isNewUser, devices, revoked: new RevokedTable(rows) })
      if (isNewUser && !registers)
        await rows.deleteFrom('deviceOwner').where('userId', '=', userId).execute()
      return result
    })
  }
}

/**
 * Writes the owner's row, which locks it. Returns whether the row is new. Reading the row with a
 * lock is not enough on a Galera cluster, because its nodes do not share locks. If two nodes write
 * the same row at the same time, only one of the transactions can commit.
 */
async function lockOwner(rows: Kysely<DeviceRows>, userId: string, now: number): Promise<boolean> {
  const { changes } = await rows
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

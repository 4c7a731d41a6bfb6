import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import { column, table } from '../database/columns.ts'
import { defineTables, type RowsOf } from '../database/tables.ts'
import type { Dialect, SqlExecutor } from '../database/types.ts'
import { LONGEST_WAIT } from './backoff.ts'

/** `pending`: not done yet; `delivered`: done; `dead`: given up. */
export type JobState = 'pending' | 'delivered' | 'dead'

/**
 * One row per job. Times are milliseconds since the epoch.
 *
 * A row is leased while its `nextAttemptAt` is in the future. `attempts` counts attempts that were
 * begun, and says whose lease it is: a process that writes to a row that another one has taken
 * since changes nothing.
 */
const job = table(
  {
    /** Grows. If jobs of a key are added under a lock, it is their order. */
    position: column.growing(),
    id: column.id(),
    lane: column.id(),
    /** `key` is a reserved word of MariaDB. */
    jobKey: column.text(255),
    kind: column.id(),
    /** Empty in a delivered row. */
    payload: column.longText(),
    createdAt: column.integer(),
    state: column.word<JobState>(16),
    attempts: column.integer(),
    /** The end of a pause or of a lease. In other states than `pending`: when it ended. */
    nextAttemptAt: column.integer(),
    lastError: column.longText().orNull(),
  },
  [],
  [
    { name: 'id', columns: ['id', 'lane'], unique: true },
    { name: 'due', columns: ['state', 'nextAttemptAt'] },
    // Finds jobs of one state, such as dead ones, among all that are kept.
    { name: 'state', columns: ['state', 'position'] },
    { name: 'key', columns: ['jobKey', 'position'] },
    // Finds the waiting jobs of one key, however many delivered ones there are.
    { name: 'line', columns: ['jobKey', 'state', 'lane', 'position'] },
  ],
)

const definitions = { job }
const tables = defineTables(definitions)

/** The rows of a queue, as Kysely's query builder takes them. */
export type JobRows = RowsOf<typeof definitions>
/** A stored job. */
export type JobRow = Selectable<JobRows['job']>

/** The table of one queue. */
export interface JobTable {
  /** Returns Kysely's query builder, whose statements run on an executor. */
  on(executor: SqlExecutor): Kysely<JobRows>
  /** Returns the statements that create it. */
  createStatements(dialect: Dialect): readonly string[]
}

/** Names the table of a queue: `<prefix>job`. */
export function createJobTable(prefix: string): JobTable {
  return {
    on: (executor) => tables.on(executor, prefix),
    createStatements: (dialect) => tables.createStatements(dialect, prefix),
  }
}

/** The jobs of one lane and key, which run one after the other. */
export interface Line {
  readonly lane: string
  readonly key: string
}

/** All engines take more parameters than this. */
const BATCH = 200

/** Divides a list into parts that one statement takes. */
export function* batchesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}

/** The condition that nothing is to be waited for. */
function isDue(now: number) {
  return (eb: ExpressionBuilder<JobRows, 'job'>) =>
    eb.or([eb('nextAttemptAt', '<=', now), eb('nextAttemptAt', '>', now + LONGEST_WAIT)])
}

/** The statements of leases. Each is one compare-and-set outside of any transaction. */
export class Leases {
  readonly #db: Kysely<JobRows>

  constructor(db: Kysely<JobRows>) {
    this.#db = db
  }

  /** Returns the first pending rows of a line. */
  findLine({ lane, key }: Line, limit: number): Promise<JobRow[]> {
    return this.#db
      .selectFrom('job')
      .selectAll()
      .where('jobKey', '=', key)
      .where('state', '=', 'pending')
      .where('lane', '=', lane)
      .orderBy('position')
      .limit(limit)
      .execute()
  }

  /**
   * Returns the keys whose first pending row may be tried now, those that have waited longest
   * first.
   */
  async findDue(lane: string, now: number, limit: number): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('job')
      .select('job.jobKey')
      .where('job.state', '=', 'pending')
      .where('job.lane', '=', lane)
      .where(isDue(now))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('job as earlier')
              .select('earlier.position')
              .whereRef('earlier.jobKey', '=', 'job.jobKey')
              .where('earlier.state', '=', 'pending')
              .whereRef('earlier.lane', '=', 'job.lane')
              .whereRef('earlier.position', '<', 'job.position'),
          ),
        ),
      )
      .orderBy('job.nextAttemptAt')
      .orderBy('job.position')
      .limit(limit)
      .execute()
    return rows.map(({ jobKey }) => jobKey)
  }

  /** Begins an attempt on the first row of a line. Returns false if another process did. */
  async claim({ position, attempts }: JobRow, leaseEnd: number): Promise<boolean> {
    const update = this.#pending([position])
      .set({ attempts: attempts + 1, nextAttemptAt: leaseEnd })
      .where('attempts', '=', attempts)
    return (await update.executeTakeFirst()).numUpdatedRows > 0n
  }

  /**
   * Begins attempts on the rows after a claimed one. Returns false if another process has one of
   * them.
   */
  async claimMore(rows: readonly JobRow[], now: number, leaseEnd: number): Promise<boolean> {
    const update = this.#pending(rows.map(({ position }) => position))
      .set((eb) => ({ attempts: eb('attempts', '+', 1), nextAttemptAt: leaseEnd }))
      .where((eb) => eb.or([eb('attempts', '=', 0), isDue(now)(eb)]))
    return (await update.executeTakeFirst()).numUpdatedRows === BigInt(rows.length)
  }

  /** Reschedules an unclaimed row to now. */
  async moveBack({ position, attempts }: JobRow, now: number): Promise<void> {
    await this.#pending([position])
      .set({ nextAttemptAt: now })
      .where('attempts', '=', attempts)
      .execute()
  }

  /** Makes a lease longer. Returns false if it was lost. */
  async extend(positions: readonly number[], leaseEnd: number, newEnd: number): Promise<boolean> {
    const update = this.#pending(positions)
      .set({ nextAttemptAt: newEnd })
      .where('nextAttemptAt', '=', leaseEnd)
    return (await update.executeTakeFirst()).numUpdatedRows === BigInt(positions.length)
  }

  /** Gives back leased rows that were not tried. */
  async release(positions: readonly number[], leaseEnd: number, nextAt: number): Promise<void> {
    if (positions.length === 0) return
    await this.#pending(positions)
      .set((eb) => ({ attempts: eb('attempts', '-', 1), nextAttemptAt: nextAt }))
      .where('nextAttemptAt', '=', leaseEnd)
      .execute()
  }

  /** Marks rows as delivered, dead ones too: they arrived. Their payload is not needed any more. */
  async markDelivered(positions: readonly number[], now: number): Promise<void> {
    for (const batch of batchesOf(positions)) {
      await this.#db
        .updateTable('job')
        .set({ state: 'delivered', nextAttemptAt: now, payload: '', lastError: null })
        .where('position', 'in', batch)
        .where('state', '<>', 'delivered')
        .execute()
    }
  }

  /** Records a failed attempt, unless another one has begun. */
  async markFailed(
    { position, attempts }: Pick<JobRow, 'position' | 'attempts'>,
    failure: Pick<JobRow, 'state' | 'nextAttemptAt' | 'lastError'>,
  ): Promise<void> {
    await this.#pending([position]).set(failure).where('attempts', '=', attempts).execute()
  }

  #pending(positions: readonly number[]) {
    return this.#db
      .updateTable('job')
      .where('position', 'in', positions)
      .where('state', '=', 'pending')
  }
}

import type { ExpressionBuilder, Kysely } from 'kysely'
import { batchesOf } from '../database/batches.ts'
import type { JobRow, JobRows, JobState } from './job-table.ts'

/** The columns that decide whether a worker can lease a pending row. */
export type JobHead = Pick<
  JobRow,
  'position' | 'jobKey' | 'attempts' | 'createdAt' | 'nextAttemptAt'
>

type Place = Pick<JobRow, 'nextAttemptAt' | 'position'>

type Builder = ExpressionBuilder<JobRows, 'job'>

/** The longest pause after a failed attempt, in milliseconds. */
export const LONGEST_PAUSE = 3_600_000
/** The longest pause that a handler can request with `after`, in milliseconds. */
export const LONGEST_AFTER = 86_400_000
// Longer than any pause after a failed attempt, in milliseconds. A row with a longer wait is due,
// because the clock was probably set back.
const LONGEST_WAIT = LONGEST_AFTER + LONGEST_PAUSE

const BATCH = 200 // Rows per statement.
const START: Place = { nextAttemptAt: 0, position: 0 }
const HEAD = ['position', 'jobKey', 'attempts', 'createdAt', 'nextAttemptAt'] as const
const ABANDONED = 'No process handled the job before its retention time ended.'

/** Returns true if a row can be leased. A new row is always free, because clocks may differ. */
export function isFree({ createdAt, nextAttemptAt }: JobHead, now: number): boolean {
  return nextAttemptAt === createdAt || nextAttemptAt <= now || nextAttemptAt > now + LONGEST_WAIT
}

function isDue(now: number) {
  return (eb: Builder) =>
    eb.or([eb('nextAttemptAt', '<=', now), eb('nextAttemptAt', '>', now + LONGEST_WAIT)])
}

function isAfter({ nextAttemptAt, position }: Place) {
  return (eb: Builder) =>
    eb.or([
      eb('nextAttemptAt', '>', nextAttemptAt),
      eb.and([eb('nextAttemptAt', '=', nextAttemptAt), eb('position', '>', position)]),
    ])
}

/**
 * The SQL statements of a queue. A worker leases a row before it handles the job. Leasing is a
 * compare-and-set.
 */
export class JobStore {
  readonly #db: Kysely<JobRows>

  constructor(db: Kysely<JobRows>) {
    this.#db = db
  }

  findPending(key: string, limit: number): Promise<JobHead[]> {
    return this.#db
      .selectFrom('job')
      .select(HEAD)
      .where('jobKey', '=', key)
      .where('state', '=', 'pending')
      .orderBy('position')
      .limit(limit)
      .execute()
  }

  /** Returns due rows that are the first row of their key. @param after the last row read so far */
  findDue(now: number, limit: number, after: Place = START): Promise<JobHead[]> {
    return this.#db
      .selectFrom('job')
      .select(HEAD)
      .where('job.state', '=', 'pending')
      .where(isDue(now))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('job as earlier')
              .select('earlier.position')
              .whereRef('earlier.jobKey', '=', 'job.jobKey')
              .where('earlier.state', '=', 'pending')
              .whereRef('earlier.position', '<', 'job.position'),
          ),
        ),
      )
      .where(isAfter(after))
      .orderBy('job.nextAttemptAt')
      .orderBy('job.position')
      .limit(limit)
      .execute()
  }

  /** Leases a row. Returns false if another process has leased it. */
  async claim({ position, attempts }: JobHead, leaseEnd: number): Promise<boolean> {
    const update = this.#pending([position])
      .set({ attempts: attempts + 1, nextAttemptAt: leaseEnd })
      .where('attempts', '=', attempts)
    return (await update.executeTakeFirst()).numUpdatedRows > 0n
  }

  /** Leases further rows of a key after its first row. Skips rows that others have leased. */
  async claimMore(rows: readonly JobHead[], now: number, leaseEnd: number): Promise<void> {
    await this.#pending(positionsOf(rows))
      .set((eb) => ({ attempts: eb('attempts', '+', 1), nextAttemptAt: leaseEnd }))
      .where((eb) => eb.or([eb('nextAttemptAt', '=', eb.ref('createdAt')), isDue(now)(eb)]))
      .execute()
  }

  findLeased(rows: readonly JobHead[], leaseEnd: number): Promise<JobRow[]> {
    return this.#db
      .selectFrom('job')
      .selectAll()
      .where('position', 'in', positionsOf(rows))
      .where('state', '=', 'pending')
      .where('nextAttemptAt', '=', leaseEnd)
      .orderBy('position')
      .execute()
  }

  /** Ends the lease of rows without counting an attempt. */
  async release(rows: readonly JobRow[], leaseEnd: number, nextAt: number): Promise<void> {
    await this.#pending(positionsOf(rows))
      .set((eb) => ({ attempts: eb('attempts', '-', 1), nextAttemptAt: nextAt }))
      .where('nextAttemptAt', '=', leaseEnd)
      .execute()
  }

  /** Marks jobs as delivered and deletes their payloads. Includes dead jobs that succeed late. */
  async markDelivered(rows: readonly JobRow[], now: number): Promise<void> {
    for (const batch of batchesOf(positionsOf(rows))) {
      await this.#db
        .updateTable('job')
        .set({ state: 'delivered', nextAttemptAt: now, payload: '', lastError: null })
        .where('position', 'in', batch)
        .where('state', '<>', 'delivered')
        .execute()
    }
  }

  /** Records a failed attempt. If a later attempt has already begun, does nothing. */
  async markFailed(
    { position, attempts }: JobHead,
    failure: Pick<JobRow, 'state' | 'nextAttemptAt' | 'lastError'>,
  ): Promise<void> {
    await this.#pending([position]).set(failure).where('attempts', '=', attempts).execute()
  }

  list(state: JobState | undefined, after: number, limit: number): Promise<JobRow[]> {
    return this.#db
      .selectFrom('job')
      .selectAll()
      .where('position', '>', after)
      .where((eb) => eb.and(state ? { state } : {}))
      .orderBy('position')
      .limit(limit)
      .execute()
  }

  async replay(id: string | undefined, now: number): Promise<number> {
    const update = this.#db
      .updateTable('job')
      .set({ state: 'pending', attempts: 0, nextAttemptAt: now })
      .where('state', '=', 'dead')
      .where((eb) => eb.and(id === undefined ? {} : { id }))
    return Number((await update.executeTakeFirst()).numUpdatedRows)
  }

  async prune(before: number): Promise<void> {
    for (const state of ['delivered', 'dead'] as const) {
      const isOld = isOlder(state, before)
      // The DELETE checks the age again, because a job may have been replayed since the SELECT.
      await this.#inBatches(isOld, (positions) =>
        this.#db.deleteFrom('job').where('position', 'in', positions).where(isOld),
      )
    }
  }

  /** Marks pending jobs as dead if they became due before `before`. */
  async giveUp(before: number, now: number): Promise<void> {
    const isAbandoned = isOlder('pending', before)
    await this.#inBatches(isAbandoned, (positions) =>
      this.#pending(positions)
        .set({ state: 'dead', nextAttemptAt: now, lastError: ABANDONED })
        .where(isAbandoned),
    )
  }

  // Works in batches, because one statement would lock all rows until its end.
  async #inBatches(
    matches: (eb: Builder) => ReturnType<Builder['and']>,
    change: (positions: readonly number[]) => { execute(): Promise<unknown> },
  ): Promise<void> {
    const select = this.#db.selectFrom('job').select('position').where(matches)
    for (;;) {
      const rows = await select.orderBy('nextAttemptAt').limit(BATCH).execute()
      if (rows.length > 0) await change(positionsOf(rows)).execute()
      if (rows.length < BATCH) return
    }
  }

  #pending(positions: readonly number[]) {
    return this.#db
      .updateTable('job')
      .where('position', 'in', positions)
      .where('state', '=', 'pending')
  }
}

function isOlder(state: JobState, before: number) {
  return (eb: Builder) => eb.and([eb('state', '=', state), eb('nextAttemptAt', '<', before)])
}

function positionsOf(rows: readonly Pick<JobRow, 'position'>[]): number[] {
  return rows.map(({ position }) => position)
}

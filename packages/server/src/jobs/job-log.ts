import type { ExpressionBuilder, Kysely } from 'kysely'
import type { JobRow, JobRows, JobState } from './job-table.ts'

/** Which jobs. Each member that is given must match. */
export type JobFilter = Partial<Pick<JobRow, 'state' | 'lane' | 'jobKey' | 'id'>>

/** Shows the jobs of a queue and keeps their number small. */
export interface JobLog {
  /**
   * Returns jobs in the order of their positions. @param after the position that the page before
   * ended with
   */
  list(filter: JobFilter, after: number, limit: number): Promise<JobRow[]>
  /**
   * Makes dead jobs pending again, with all their attempts. They run before other jobs of their
   * lines.
   *
   * @returns their number
   */
  replay(filter: Omit<JobFilter, 'state'>): Promise<number>
  /**
   * Removes jobs that ended before a time, and gives up those that waited since then for a lane
   * that no process has.
   *
   * @param lanes that this process has
   */
  prune(lanes: readonly string[], before: number): Promise<void>
}

/** Rows that one statement locks. */
const PRUNE_BATCH = 200
const ABANDONED = 'No process handled this lane during the retention time.'

/** Creates the log of a table. */
export function createJobLog(db: Kysely<JobRows>, clock: () => number): JobLog {
  /** Changes rows in batches until none match. */
  async function inBatches(
    isOld: (eb: ExpressionBuilder<JobRows, 'job'>) => ReturnType<typeof eb.and>,
    change: (positions: readonly number[]) => { execute(): Promise<unknown> },
  ): Promise<void> {
    for (;;) {
      const select = db.selectFrom('job').select('position').where(isOld)
      const rows = await select.orderBy('nextAttemptAt').limit(PRUNE_BATCH).execute()
      if (rows.length === 0) return
      await change(rows.map(({ position }) => position)).execute()
      if (rows.length < PRUNE_BATCH) return
    }
  }

  return {
    list: (filter, after, limit) =>
      db
        .selectFrom('job')
        .selectAll()
        .where('position', '>', after)
        .where((eb) => eb.and(filter))
        .orderBy('position')
        .limit(limit)
        .execute(),
    async replay(filter) {
      const update = db
        .updateTable('job')
        .set({ state: 'pending', attempts: 0, nextAttemptAt: clock() })
        .where('state', '=', 'dead')
        .where((eb) => eb.and(filter))
      return Number((await update.executeTakeFirst()).numUpdatedRows)
    },
    async prune(lanes, before) {
      const endedBefore = (state: JobState) => (eb: ExpressionBuilder<JobRows, 'job'>) =>
        eb.and([eb('state', '=', state), eb('nextAttemptAt', '<', before)])
      for (const state of ['delivered', 'dead'] as const) {
        const isOld = endedBefore(state)
        // Asked again, because it may have been replayed.
        await inBatches(isOld, (positions) =>
          db.deleteFrom('job').where('position', 'in', positions).where(isOld),
        )
      }
      const isAbandoned = (eb: ExpressionBuilder<JobRows, 'job'>) =>
        eb.and([endedBefore('pending')(eb), eb('lane', 'not in', ['', ...lanes])])
      await inBatches(isAbandoned, (positions) =>
        db
          .updateTable('job')
          .set({ state: 'dead', nextAttemptAt: clock(), lastError: ABANDONED })
          .where('position', 'in', positions)
          .where(isAbandoned),
      )
    },
  }
}

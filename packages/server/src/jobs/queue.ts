import type { SqlExecutor } from '../database/types.ts'
import { type Job, type Lane, type Report, sum } from './job.ts'
import { createJobLog, type JobLog } from './job-log.ts'
import { batchesOf, type JobTable, Leases, type Line } from './job-table.ts'
import { LaneWorker } from './lane-worker.ts'
import { createPolls } from './polls.ts'

/**
 * Jobs that are kept in the database until they are done: at least once, in order per lane and key,
 * by any number of processes.
 */
export interface Queue<Payload> extends Pick<JobLog, 'list' | 'replay'> {
  /**
   * Adds jobs to a transaction, which should hold a lock of their key, so that positions grow in
   * the order of commits. Call `deliver` after the commit.
   */
  add(tx: SqlExecutor, jobs: readonly Job<Payload>[]): Promise<void>
  /** Returns whether any of these jobs was committed. */
  has(tx: SqlExecutor, ids: readonly string[]): Promise<boolean>
  /**
   * Handles the jobs of a line, some of which were just committed. Resolves when they are handled
   * or left to others; does not reject.
   */
  deliver(line: Line): Promise<void>
  /** Handles everything that is due, and removes what was kept long enough. */
  runDue(): Promise<Report>
  /** Begins to poll for what is due. */
  start(): void
  /** Begins no further attempts. Attempts under way continue. */
  stop(): void
  /** Waits for what is under way. */
  settle(): Promise<void>
}

/** The parts of a queue. */
export interface QueueOptions<Payload> {
  readonly table: JobTable
  readonly executor: SqlExecutor
  /**
   * Like `executor`, for statements that a power failure may undo: the jobs are then handled again.
   */
  readonly relaxed: SqlExecutor
  readonly lanes: readonly Lane<Payload>[]
  /** Writes the payload of a job into its row. */
  readonly write: (payload: Payload) => string
  /** Reads it. If it throws, the job is dead, and can be replayed. */
  readonly read: (text: string) => Payload
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** After this many attempts without success a job is dead. */
  readonly attempts: number
  /** Seconds that one attempt may take. */
  readonly timeout: number
  /** Seconds between polls; null: never. */
  readonly interval: number | null
  /** Seconds for which delivered and dead jobs are kept; null: forever. */
  readonly retention: number | null
  /** Called about once an hour, to remove what else is older than a time. */
  readonly onPrune?: (before: number) => Promise<void>
  /** Called with errors of the database in background work. */
  readonly onError: (error: unknown) => void
}

const PRUNE_INTERVAL = 3_600_000

/** Creates a queue that handles nothing by itself until `start` is called. */
export function createQueue<Payload>(options: QueueOptions<Payload>): Queue<Payload> {
  const { table, executor, relaxed, lanes, write, clock, random, interval, onError } = options
  const retention = options.retention === null ? null : options.retention * 1000
  const log = createJobLog(table.on(executor), clock)
  let isStopping = false
  const parts = {
    ...options,
    leases: new Leases(table.on(relaxed)),
    timeout: options.timeout * 1000,
    isStopping: () => isStopping,
  }
  const workers = new Map(
    lanes.map((lane) => [lane.name, new LaneWorker(lane, parts, onError)] as const),
  )
  const all = [...workers.values()]
  let prunedAt = Number.NEGATIVE_INFINITY

  async function prune(): Promise<void> {
    const now = clock()
    if (retention === null || Math.abs(now - prunedAt) < PRUNE_INTERVAL) return
    prunedAt = now
    const open = lanes.filter((lane) => lane.isOpen()).map(({ name }) => name)
    await log.prune(open, now - retention)
    await options.onPrune?.(now - retention)
  }
  // Each polls by itself, so that none waits for another.
  const beginDue = all.map((worker) => async (): Promise<void> => {
    for (const running of await worker.beginDue()) running.catch(onError)
  })
  const polls = [...beginDue, prune].map((work) => createPolls(work, interval, random, onError))

  return {
    list: log.list,
    replay: log.replay,
    async add(tx, jobs) {
      const rows = jobs.map(({ key, payload, ...job }) => ({
        ...job,
        jobKey: key,
        payload: write(payload),
        state: 'pending' as const,
        attempts: 0,
        nextAttemptAt: job.createdAt,
      }))
      for (const batch of batchesOf(rows))
        await table.on(tx).insertInto('job').values(batch).execute()
    },
    async has(tx, ids) {
      const [some = []] = batchesOf(ids) // They were committed together.
      const select = table.on(tx).selectFrom('job').select('position').where('id', 'in', some)
      return (await select.limit(1).execute()).length > 0
    },
    deliver: async ({ lane, key }) => workers.get(lane)?.deliver(key),
    async runDue() {
      const report = sum(await Promise.all(all.map((worker) => worker.runDue())))
      await prune()
      return report
    },
    start() {
      for (const each of polls) each.start()
    },
    stop() {
      isStopping = true
      for (const each of polls) each.stop()
    },
    async settle() {
      await Promise.all(polls.map((each) => each.settle())) // They may begin lines.
      await Promise.all(all.map((worker) => worker.settle()))
    },
  }
}

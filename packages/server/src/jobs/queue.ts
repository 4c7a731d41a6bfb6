import type { SqlExecutor } from '../database/types.ts'
import { type Job, type Lane, type Report, sum } from './job.ts'
import { batchesOf, type JobFilter, JobStore, type Line } from './job-store.ts'
import type { JobRow, JobTable } from './job-table.ts'
import { LaneWorker } from './lane-worker.ts'
import { Polls } from './polls.ts'

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

/**
 * Jobs that are kept in the database until they are done: at least once, in order per lane and key,
 * by any number of processes. It handles nothing by itself until `start` is called.
 */
export class Queue<Payload> {
  readonly #options: QueueOptions<Payload>
  readonly #store: JobStore
  readonly #workers: readonly LaneWorker<Payload>[]
  readonly #polls: readonly Polls[]
  #isStopping = false
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor(options: QueueOptions<Payload>) {
    const { table, executor, relaxed, lanes, interval, random, onError } = options
    this.#options = options
    this.#store = new JobStore(table.on(executor))
    const parts = {
      ...options,
      leases: new JobStore(table.on(relaxed)),
      timeout: options.timeout * 1000,
      isStopping: () => this.#isStopping,
    }
    this.#workers = lanes.map((lane) => new LaneWorker(lane, parts, onError))
    // Each polls by itself, so that none waits for another.
    const work = this.#workers.map((worker) => async () => {
      for (const running of await worker.beginDue()) running.catch(onError)
    })
    const polled = interval === null ? [] : [...work, () => this.#prune()]
    this.#polls = polled.map((each) => new Polls(each, interval ?? 0, random, onError))
  }

  /**
   * Adds jobs to a transaction, which should hold a lock of their key, so that positions grow in
   * the order of commits. Call `deliver` after the commit.
   */
  async add(tx: SqlExecutor, jobs: readonly Job<Payload>[]): Promise<void> {
    const { table, write } = this.#options
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
  }

  /** Returns whether these jobs, which were added together, were committed. */
  async has(tx: SqlExecutor, ids: readonly string[]): Promise<boolean> {
    const [some = []] = batchesOf(ids)
    const select = this.#options.table.on(tx).selectFrom('job').select('position')
    return (await select.where('id', 'in', some).limit(1).execute()).length > 0
  }

  /**
   * Handles the jobs of a line, some of which were just committed. Resolves when they are handled
   * or left to others; does not reject.
   */
  async deliver({ lane, key }: Line): Promise<void> {
    const index = this.#options.lanes.findIndex(({ name }) => name === lane)
    await this.#workers[index]?.deliver(key)
  }

  /** Handles everything that is due, and removes what was kept long enough. */
  async runDue(): Promise<Report> {
    const report = sum(await Promise.all(this.#workers.map((worker) => worker.runDue())))
    await this.#prune()
    return report
  }

  /** Returns jobs after a position, in order. */
  list(filter: JobFilter, after: number, limit: number): Promise<JobRow[]> {
    return this.#store.list(filter, after, limit)
  }

  /**
   * Makes dead jobs pending again, with all their attempts. They run before other jobs of their
   * lines.
   *
   * @returns their number
   */
  replay(filter: Omit<JobFilter, 'state'>): Promise<number> {
    return this.#store.replay(filter, this.#options.clock())
  }

  /** Begins to poll for what is due. */
  start(): void {
    for (const polls of this.#polls) polls.start()
  }

  /** Begins no further attempts. Attempts under way continue. */
  stop(): void {
    this.#isStopping = true
    for (const polls of this.#polls) polls.stop()
  }

  /** Waits for what is under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#polls.map((polls) => polls.settle())) // They may begin lines.
    await Promise.all(this.#workers.map((worker) => worker.settle()))
  }

  async #prune(): Promise<void> {
    const { clock, lanes, retention, onPrune } = this.#options
    const now = clock()
    if (retention === null || Math.abs(now - this.#prunedAt) < PRUNE_INTERVAL) return
    this.#prunedAt = now
    const before = now - retention * 1000
    const open = lanes.filter((lane) => lane.isOpen()).map(({ name }) => name)
    await this.#store.prune(open, before, now)
    await onPrune?.(before)
  }
}

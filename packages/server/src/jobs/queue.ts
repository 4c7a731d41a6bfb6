import { setTimeout as sleep } from 'node:timers/promises'
import { batchesOf } from '../database/batches.ts'
import type { SqlExecutor } from '../database/types.ts'
import type { Job, JobCounts, QueueOptions } from './job.ts'
import { JobStore } from './job-store.ts'
import type { JobRow, JobState } from './job-table.ts'
import { JobWorker } from './worker.ts'

const PRUNE_INTERVAL = 3_600_000

/**
 * A queue of jobs in the database, for any number of processes. Each job runs at least once. Before
 * `start`, jobs run only when `deliver` or `runDue` is called.
 */
export class Queue<Payload> {
  readonly #options: QueueOptions<Payload>
  readonly #store: JobStore
  readonly #worker: JobWorker<Payload>
  readonly #stopping = new AbortController()
  readonly #polling = new Set<Promise<void>>()
  #isStarted = false
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor(options: QueueOptions<Payload>) {
    this.#options = options
    this.#store = new JobStore(options.table.on(options.executor))
    const parts = { ...options, store: this.#store, stopping: this.#stopping.signal }
    this.#worker = new JobWorker(parts)
  }

  /**
   * Adds jobs in a transaction. The transaction should lock the key of the jobs, so that positions
   * increase in the order of commits. Call `deliver` after the commit.
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

  /** Handles the jobs of a key. If this process is busy, later polls handle them. Never rejects. */
  deliver(key: string): Promise<void> {
    return this.#worker.deliver(key)
  }

  /** Handles all due jobs. About once an hour, also deletes jobs whose retention time is over. */
  async runDue(): Promise<JobCounts> {
    const counts = await this.#worker.runDue()
    await this.#prune()
    return counts
  }

  /** Returns the jobs whose position is greater than `after`, in order. */
  list(state: JobState | undefined, after: number, limit: number): Promise<JobRow[]> {
    return this.#store.list(state, after, limit)
  }

  /** Makes the dead job `id`, or all dead jobs, pending again. Returns their number. */
  replay(id?: string): Promise<number> {
    return this.#store.replay(id, this.#options.clock())
  }

  start(): void {
    const { interval, onError } = this.#options
    if (interval === null || this.#isStarted) return
    this.#isStarted = true
    const beginDue = async (): Promise<void> => {
      for (const running of await this.#worker.beginDue()) running.catch(onError)
    }
    void this.#poll(beginDue, interval)
    void this.#poll(() => this.#prune(), interval)
  }

  /** Stops polling and begins no further attempts. Attempts in progress continue. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Waits for polls and attempts in progress. */
  async settle(): Promise<void> {
    await Promise.all(this.#polling) // Polls may begin jobs.
    await this.#worker.settle()
  }

  // Pauses vary by up to 20 %. Otherwise, processes that were started together would poll together.
  // The timer does not keep the process running.
  async #poll(work: () => Promise<void>, interval: number): Promise<void> {
    const { random, onError } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const polling = work().catch(onError)
      this.#polling.add(polling)
      await polling
      this.#polling.delete(polling)
      const pause = interval * 1000 * (0.8 + 0.4 * random())
      await sleep(pause, undefined, { ref: false, signal }).catch(() => {}) // Rejects after `stop`.
    }
  }

  async #prune(): Promise<void> {
    const { clock, handler, retention, onPrune } = this.#options
    const now = clock()
    if (retention === null || Math.abs(now - this.#prunedAt) < PRUNE_INTERVAL) return
    this.#prunedAt = now
    const before = now - retention * 1000
    await this.#store.prune(before)
    if (!handler.isOpen()) await this.#store.giveUp(before, now)
    await onPrune?.(before)
  }
}

import pLimit from 'p-limit'
import { attemptJobs } from './attempt.ts'
import { type QueueParts, type Report, sum } from './job.ts'
import type { JobHead } from './job-store.ts'

const SLOTS = 10 // Keys that a process handles at once.
const MAX_WAITING = 100 // Keys that wait in memory for a slot.
const HEADS_PER_READ = 100
const BATCH = 20 // Jobs of a key that are handled before other keys get the slot.

/** The jobs of a key that this process handles, or that wait for a slot. */
interface OpenLine {
  /** Resolves when the line has a slot. */
  readonly started: Promise<void>
  readonly running: Promise<Report>
  /** Whether jobs were committed since its last batch began. */
  isFresh: boolean
}

/** Handles the jobs of a queue in this process. */
export class JobWorker<Payload> {
  readonly #options: QueueParts<Payload>
  readonly #lines = new Map<string, OpenLine>()
  readonly #limit = pLimit(SLOTS)

  constructor(options: QueueParts<Payload>) {
    this.#options = options
  }

  /**
   * Handles the jobs of one key, unless too many lines are waiting. Resolves when they are handled
   * or left to a poll or to another process.
   */
  async deliver(key: string): Promise<void> {
    const open = this.#lines.get(key)
    if (open) open.isFresh = true
    else if (this.#isClosed() || this.#limit.pendingCount >= MAX_WAITING) return
    await (open ?? this.#begin(key)).running.then(() => {}, this.#options.onError)
  }

  /**
   * Begins to handle all keys with due jobs. Resolves when each of these lines has had a slot; some
   * may still be running.
   *
   * @throws the error of the database
   */
  async beginDue(): Promise<readonly Promise<Report>[]> {
    const { store, clock } = this.#options
    const running = new Set<Promise<Report>>()
    let hasFailed = false
    const isOver = (): boolean => hasFailed || this.#isClosed()
    let last: JobHead | undefined
    do {
      const heads = await store.findDue(clock(), HEADS_PER_READ, last)
      last = heads[HEADS_PER_READ - 1]
      for (const { jobKey } of heads) {
        if (isOver()) break
        const line = this.#lines.get(jobKey) ?? this.#begin(jobKey)
        running.add(line.running)
        line.running.catch(() => {
          hasFailed = true
        })
        await line.started
      }
    } while (last && !isOver())
    return [...running]
  }

  /** Handles due jobs until none are left. @throws the error of the database */
  async runDue(): Promise<Report> {
    const reports: Report[] = []
    for (;;) {
      const report = sum(await Promise.all(await this.beginDue()))
      reports.push(report)
      if (report.delivered + report.retrying + report.dead === 0) return sum(reports)
    }
  }

  async settle(): Promise<void> {
    await Promise.allSettled([...this.#lines.values()].map(({ running }) => running))
  }

  #isClosed(): boolean {
    const { handler, stopping } = this.#options
    return stopping.aborted || !handler.isOpen()
  }

  #begin(key: string): OpenLine {
    const { promise: started, resolve } = Promise.withResolvers<void>()
    const line = { started, running: this.#run(key, resolve), isFresh: false }
    this.#lines.set(key, line)
    return line
  }

  async #run(key: string, onStart: () => void): Promise<Report> {
    const reports: Report[] = []
    try {
      for (;;) {
        const { hasMore, ...report } = await this.#limit(() => {
          onStart()
          return this.#handleBatch(key)
        })
        reports.push(report)
        if (!hasMore && !this.#lines.get(key)?.isFresh) return sum(reports)
      }
    } finally {
      this.#lines.delete(key) // Immediately, because `deliver` must not add jobs to a line that has ended.
    }
  }

  /**
   * Handles the first jobs of a line in order, until one must be retried later. The first pending
   * row is the lock of its line: while it is leased, no other process begins an attempt on a later
   * row. No row can be inserted before it, because positions increase under a lock.
   */
  async #handleBatch(key: string): Promise<Report & { readonly hasMore: boolean }> {
    const line = this.#lines.get(key)
    if (line) line.isFresh = false
    const { handler, store } = this.#options
    const { together } = handler
    const heads = await store.findPending(key, together ?? BATCH)
    const size = together ?? 1
    const reports: Report[] = []
    for (let start = 0; start < heads.length; start += size) {
      const some = heads.slice(start, start + size)
      const report = this.#isClosed() ? null : await attemptJobs(this.#options, some)
      if (report) reports.push(report)
      if (!report || report.retrying > 0) return { ...sum(reports), hasMore: false }
    }
    return { ...sum(reports), hasMore: heads.length > 0 }
  }
}

import pLimit from 'p-limit'
import { type AttemptResult, type Job, type JobCounts, type QueueParts, sum } from './job.ts'
import { isFree, type JobHead, LONGEST_AFTER, LONGEST_PAUSE } from './job-store.ts'
import type { JobRow } from './job-table.ts'

const SLOTS = 10 // Keys that a process handles at once.
const MAX_WAITING = 100 // Keys that wait in memory for a slot.
const HEADS_PER_READ = 100
const BATCH = 20 // Jobs of a key that are handled before other keys get the slot.

/** The pending jobs of one key, in order. A line waits for a slot, and then its jobs run. */
interface OpenLine {
  /** Resolves when the line has a slot. */
  readonly started: Promise<void>
  readonly running: Promise<JobCounts>
  /** True if jobs were committed after the last batch of the line began. */
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

  /** Handles the jobs of a key, or leaves them to the next poll or to another process. */
  async deliver(key: string): Promise<void> {
    const open = this.#lines.get(key)
    if (open) open.isFresh = true
    else if (this.#isClosed() || this.#limit.pendingCount >= MAX_WAITING) return
    await (open ?? this.#begin(key)).running.then(() => {}, this.#options.onError)
  }

  /**
   * Begins to handle all keys with due jobs. Resolves when the last of these keys has a slot.
   *
   * @throws the error of the database
   */
  async beginDue(): Promise<readonly Promise<JobCounts>[]> {
    const { store, clock } = this.#options
    const running = new Set<Promise<JobCounts>>()
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
  async runDue(): Promise<JobCounts> {
    const allCounts: JobCounts[] = []
    for (;;) {
      const counts = sum(await Promise.all(await this.beginDue()))
      allCounts.push(counts)
      if (counts.delivered + counts.retrying + counts.dead === 0) return sum(allCounts)
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

  async #run(key: string, onStart: () => void): Promise<JobCounts> {
    const allCounts: JobCounts[] = []
    try {
      for (;;) {
        const { hasMore, ...counts } = await this.#limit(() => {
          onStart()
          return this.#handleBatch(key)
        })
        allCounts.push(counts)
        if (!hasMore && !this.#lines.get(key)?.isFresh) return sum(allCounts)
      }
    } finally {
      // Deletes the line without an `await` after the check of `isFresh`. So `deliver` cannot set
      // `isFresh` of a line that has ended.
      this.#lines.delete(key)
    }
  }

  /**
   * Handles the first jobs of a key in order, until a job must be retried later. The lease of the
   * first pending row locks the key: other processes cannot begin with later rows. No row can be
   * inserted before the first row, because positions increase under a lock.
   */
  async #handleBatch(key: string): Promise<JobCounts & { readonly hasMore: boolean }> {
    const line = this.#lines.get(key)
    if (line) line.isFresh = false
    const { handler, store } = this.#options
    const { together } = handler
    const heads = await store.findPending(key, together ?? BATCH)
    const size = together ?? 1
    const allCounts: JobCounts[] = []
    for (let start = 0; start < heads.length; start += size) {
      const some = heads.slice(start, start + size)
      const counts = this.#isClosed() ? null : await attemptJobs(this.#options, some)
      if (counts) allCounts.push(counts)
      if (!counts || counts.retrying > 0) return { ...sum(allCounts), hasMore: false }
    }
    return { ...sum(allCounts), hasMore: heads.length > 0 }
  }
}

const FIRST_PAUSE = 5000
const MARGIN = 10_000 // Milliseconds from the end of the longest attempt to the end of its lease.
const SPENT =
  'The last attempt did not finish, because its process crashed or was killed. No attempts are left.'

// Makes one attempt. Returns null if no attempt was possible or the handler deferred the jobs. In
// both cases, later jobs of the key must wait too.
async function attemptJobs<Payload>(
  options: QueueParts<Payload>,
  heads: readonly JobHead[],
): Promise<JobCounts | null> {
  const { store, clock, attempts, timeout } = options
  const now = clock()
  const [head] = heads
  if (!head || !isFree(head, now)) return null // The row is leased or not due.
  if (head.attempts >= attempts) {
    await store.markFailed(head, { state: 'dead', nextAttemptAt: now, lastError: SPENT })
    return { delivered: 0, retrying: 0, dead: 1 }
  }
  const leaseEnd = now + Math.ceil(timeout * 1000) + MARGIN
  if (!(await store.claim(head, leaseEnd))) return null
  const busy = heads.findIndex((each) => !isFree(each, now))
  const others = heads.slice(1, busy < 0 ? heads.length : busy)
  if (others.length > 0) await store.claimMore(others, now, leaseEnd)
  // Reads the rows again, because the erasure of a user may have changed them before the lease.
  const rows = await store.findLeased([head, ...others], leaseEnd)
  const result = await handle(options, rows)
  if (result.kind === 'defer') {
    await store.release(rows, leaseEnd, result.until)
    return null
  }
  if (result.kind !== 'done') return recordFailures(options, rows, result)
  await store.markDelivered(rows, clock())
  return { delivered: rows.length, retrying: 0, dead: 0 }
}

async function handle<Payload>(
  { handler, read }: QueueParts<Payload>,
  rows: readonly JobRow[],
): Promise<AttemptResult> {
  if (rows.length === 0) return { kind: 'done' }
  const toJob = ({ id, jobKey: key, kind, payload, createdAt }: JobRow): Job<Payload> => ({
    id,
    key,
    kind,
    payload: read(payload),
    createdAt,
  })
  try {
    return await handler.handle(rows.map(toJob))
  } catch (error) {
    return { kind: 'dead', error: String(error) } // A retry would throw again.
  }
}

async function recordFailures<Payload>(
  { store, clock, random, attempts }: QueueParts<Payload>,
  rows: readonly JobRow[],
  result: Extract<AttemptResult, { kind: 'retry' | 'dead' }>,
): Promise<JobCounts> {
  const now = clock()
  const mostTried = Math.max(...rows.map((row) => row.attempts))
  const after = result.kind === 'retry' ? result.after : 0
  const retryAt = now + pauseAfter(mostTried, random(), after)
  // Converts the error to a text that every database can store.
  const lastError = result.error.slice(0, 500).toWellFormed().replaceAll('\0', '')
  let dead = 0
  for (const row of rows) {
    const isDead = result.kind === 'dead' || row.attempts >= attempts
    const nextAttemptAt = isDead ? now : retryAt
    await store.markFailed(row, { state: isDead ? 'dead' : 'pending', nextAttemptAt, lastError })
    if (isDead) dead++
  }
  if (result.kind === 'retry') {
    // If the attempt still succeeds after its time limit, its jobs are not retried.
    void result.late
      ?.then((isDone) => (isDone ? store.markDelivered(rows, clock()) : undefined))
      .catch(() => {})
  }
  return { delivered: 0, retrying: rows.length - dead, dead }
}

// Returns milliseconds. The longest pause doubles with each attempt. The actual pause is random, so
// that jobs that failed together are not retried together. `after` is a minimum.
function pauseAfter(attempts: number, random: number, after = 0): number {
  const longest = Math.min(FIRST_PAUSE * 2 ** Math.min(attempts - 1, 30), LONGEST_PAUSE)
  return Math.ceil(Math.max((longest * (1 + random)) / 2, Math.min(after, LONGEST_AFTER)))
}

import { pauseAfter } from './backoff.ts'
import type { Job, Lane, Outcome, Report } from './job.ts'
import { isFree, type JobStore } from './job-store.ts'
import type { JobRow } from './job-table.ts'

/** The parts that handle a line. */
export interface TurnParts<Payload> {
  readonly leases: JobStore
  /** Reads a stored payload. If it throws, the job is dead, and can be replayed. */
  readonly read: (text: string) => Payload
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** After this many attempts without success a job is dead. */
  readonly attempts: number
  /** The longest time of one attempt, in milliseconds. */
  readonly timeout: number
  /** Returns true when the process is about to end: what is not begun is left to others. */
  readonly isStopping: () => boolean
}

/** The result of a turn. */
export interface TurnResult extends Report {
  /** False if there is nothing more, or nothing that may be tried now. */
  readonly hasMore: boolean
}

/** After this many jobs of a line, other lines come first. */
const TURN = 20
/** Milliseconds between the end of the longest attempt and the end of its lease. */
const MARGIN = 10_000
const SPENT =
  'No attempt was left, and the last one had no end: the process that made it was killed, or crashed.'

/**
 * Handles the next jobs of a line, in order, until there are no more, or one must be tried again
 * later: the jobs after it wait for it. In one process it must not run twice at once for a line.
 */
export async function handleTurn<Payload>(
  parts: TurnParts<Payload>,
  lane: Lane<Payload>,
  key: string,
): Promise<TurnResult> {
  const turn = new Turn(parts, lane)
  const hasMore = await turn.run(key)
  return { ...turn.counts, hasMore }
}

class Turn<Payload> {
  readonly counts = { delivered: 0, retrying: 0, dead: 0 }
  readonly #parts: TurnParts<Payload>
  readonly #lane: Lane<Payload>
  #arrived: JobRow[] = []
  #marking = Promise.resolve()

  constructor(parts: TurnParts<Payload>, lane: Lane<Payload>) {
    this.#parts = parts
    this.#lane = lane
  }

  /**
   * Handles the first rows of a line. The first pending row is the lock of its line: while it is
   * leased, no other process begins an attempt on a later one. No row can appear before it, because
   * positions grow under a lock.
   *
   * @returns false if there is nothing more, or what comes next must wait
   */
  async run(key: string): Promise<boolean> {
    const { leases } = this.#parts
    const { name, together } = this.#lane
    const rows = await leases.findLine({ lane: name, key }, together ?? TURN)
    const size = together ?? 1
    let hasMore = rows.length > 0
    for (let start = 0; hasMore && start < rows.length; start += size)
      hasMore = await this.#handle(rows.slice(start, start + size))
    await this.#marking
    return hasMore
  }

  /** Makes one attempt. Returns false if what comes next must wait. */
  async #handle(rows: readonly JobRow[]): Promise<boolean> {
    const { leases, clock, attempts, isStopping } = this.#parts
    const [head] = rows
    if (isStopping() || !this.#lane.isOpen()) return false
    if (!head || !isFree(head, clock())) return false // If it is leased, its worker finds the rest.
    if (head.attempts >= attempts) {
      await leases.markFailed(head, { state: 'dead', nextAttemptAt: clock(), lastError: SPENT })
      this.counts.dead++
      return true
    }
    const leaseEnd = clock() + this.#parts.timeout + MARGIN
    const claimed = await this.#claim(head, rows.slice(1), leaseEnd)
    if (claimed.length === 0) return false
    const outcome = await this.#attempt(claimed)
    if (outcome.kind === 'done') {
      this.#mark(claimed)
      return true
    }
    await this.#marking
    if (outcome.kind === 'defer') {
      await leases.release(claimed, leaseEnd, outcome.until)
      return false
    }
    return !(await this.#recordFailures(claimed, outcome))
  }

  /** Begins an attempt on the first row, and on those after it that are free. */
  async #claim(
    head: JobRow,
    others: readonly JobRow[],
    leaseEnd: number,
  ): Promise<readonly JobRow[]> {
    const { leases, clock } = this.#parts
    const now = clock()
    if (!(await leases.claim(head, leaseEnd))) return []
    const end = others.findIndex((row) => !isFree(row, now))
    const more = end < 0 ? others : others.slice(0, end)
    const hasMore = more.length > 0 && (await leases.claimMore(more, now, leaseEnd))
    return [head, ...(hasMore ? more : [])].map((row) => ({ ...row, attempts: row.attempts + 1 }))
  }

  async #attempt(rows: readonly JobRow[]): Promise<Outcome> {
    try {
      return await this.#lane.handle(rows.map((row) => this.#toJob(row)))
    } catch (error) {
      return { kind: 'dead', error: String(error) } // It would throw each time.
    }
  }

  #toJob({ id, lane, jobKey, kind, payload, createdAt }: JobRow): Job<Payload> {
    return { id, lane, key: jobKey, kind, payload: this.#parts.read(payload), createdAt }
  }

  /**
   * Marks rows as delivered while the next ones run. While one statement runs, rows gather for the
   * next one, so that many quick jobs cost few statements. If it fails, `#marking` rejects, and the
   * jobs will be handled again.
   */
  #mark(rows: readonly JobRow[]): void {
    this.#arrived.push(...rows)
    this.counts.delivered += rows.length
    this.#marking = this.#marking.then(async () => {
      const arrived = this.#arrived
      this.#arrived = []
      await this.#parts.leases.markDelivered(arrived, this.#parts.clock())
    })
    this.#marking.catch(() => {}) // Whoever awaits it gets the error.
  }

  /** Returns true if any of the rows is tried again. */
  async #recordFailures(
    rows: readonly JobRow[],
    outcome: Extract<Outcome, { kind: 'retry' | 'dead' }>,
  ): Promise<boolean> {
    const { leases, clock, random, attempts } = this.#parts
    const now = clock()
    const mostTried = Math.max(...rows.map((row) => row.attempts))
    const wish = outcome.kind === 'retry' ? outcome.after : 0
    const retryAt = now + pauseAfter(mostTried, random(), wish)
    const lastError = storable(outcome.error)
    let isRetried = false
    for (const row of rows) {
      const isDead = outcome.kind === 'dead' || row.attempts >= attempts
      const nextAttemptAt = isDead ? now : retryAt
      await leases.markFailed(row, { state: isDead ? 'dead' : 'pending', nextAttemptAt, lastError })
      this.counts[isDead ? 'dead' : 'retrying']++
      isRetried ||= !isDead
    }
    if (outcome.kind === 'retry') {
      // A job that succeeded late is not tried again.
      void outcome.late
        ?.then((isDone) => (isDone ? leases.markDelivered(rows, clock()) : undefined))
        .catch(() => {})
    }
    return isRetried
  }
}

/** Removes what a database does not take. */
function storable(error: string): string {
  return error.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

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
/**
 * After this many attempts a row is claimed alone. A crash adds one attempt to every row of a
 * claim, and must not use up the attempts of other rows than the one that causes it.
 */
const SHARED_ATTEMPTS = 1
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
  #leaseEnd = 0
  #arrived: JobRow[] = []
  #marking = Promise.resolve()

  constructor(parts: TurnParts<Payload>, lane: Lane<Payload>) {
    this.#parts = parts
    this.#lane = lane
  }

  /**
   * Claims the first rows of a line and handles them. The first pending row is the lock of its
   * line: while it is leased, no other process begins an attempt on a later one. No row can appear
   * before it, because positions grow under a lock.
   *
   * @returns false if there is nothing more, or what comes next must wait
   */
  async run(key: string): Promise<boolean> {
    const { leases, clock, attempts } = this.#parts
    if (this.#isEnding()) return false
    const line = { lane: this.#lane.name, key }
    const rows = await leases.findLine(line, this.#lane.together ?? TURN)
    const [head] = rows
    if (!head || !isFree(head, clock())) return false // If it is leased, its worker finds the rest.
    if (head.attempts >= attempts) {
      await leases.markFailed(head, { state: 'dead', nextAttemptAt: clock(), lastError: SPENT })
      this.counts.dead++
      return true
    }
    const claimed = await this.#claim(head, rows.slice(1))
    const hasMore = claimed.length > 0 && (await this.#handle(claimed))
    await this.#marking
    return hasMore
  }

  #isEnding(): boolean {
    return this.#parts.isStopping() || !this.#lane.isOpen()
  }

  /** Begins attempts on the first row, and on those after it that may share its claim. */
  async #claim(head: JobRow, others: readonly JobRow[]): Promise<JobRow[]> {
    const { leases, clock, attempts } = this.#parts
    const now = clock()
    this.#leaseEnd = now + this.#lease
    if (!(await leases.claim(head, this.#leaseEnd))) return []
    const isAlone = (row: JobRow): boolean =>
      this.#lane.together === undefined &&
      (row.attempts > SHARED_ATTEMPTS || row.attempts + 1 >= attempts)
    const end = isAlone(head) ? 0 : others.findIndex((row) => !isFree(row, now) || isAlone(row))
    const more = end < 0 ? others : others.slice(0, end)
    const hasMore = more.length > 0 && (await leases.claimMore(more, now, this.#leaseEnd))
    return [head, ...(hasMore ? more : [])].map((row) => ({ ...row, attempts: row.attempts + 1 }))
  }

  get #lease(): number {
    return this.#parts.timeout + MARGIN
  }

  /** Handles claimed rows. Returns false if what comes next must wait. */
  async #handle(claimed: readonly JobRow[]): Promise<boolean> {
    const { leases, clock } = this.#parts
    const size = this.#lane.together ?? 1
    for (let start = 0; start < claimed.length; start += size) {
      const rest = claimed.slice(start)
      const rows = rest.slice(0, size)
      if (this.#isEnding()) {
        await leases.release(rest, this.#leaseEnd, clock())
        return false
      }
      if (!(await this.#renew(rest))) return false // We were too slow: another process has them.
      const outcome = await this.#attempt(rows)
      if (outcome.kind === 'done') {
        this.#mark(rows)
        continue
      }
      await this.#marking
      if (outcome.kind === 'defer') {
        await leases.release(rest, this.#leaseEnd, outcome.until)
        return false
      }
      const retryAt = await this.#recordFailures(rows, outcome)
      if (retryAt === null) continue
      await leases.release(rest.slice(size), this.#leaseEnd, retryAt)
      return false
    }
    return true
  }

  /** Makes the lease longer if the rest of it may be too short. Returns false if it is lost. */
  async #renew(rows: readonly JobRow[]): Promise<boolean> {
    const { leases, clock, timeout } = this.#parts
    const left = this.#leaseEnd - clock()
    if (left >= timeout + MARGIN / 2 && left <= this.#lease) return true
    const newEnd = clock() + this.#lease
    if (!(await leases.extend(rows, this.#leaseEnd, newEnd))) return false
    this.#leaseEnd = newEnd
    return true
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

  /** Returns when the first of the rows is tried again; null if all are dead. */
  async #recordFailures(
    rows: readonly JobRow[],
    outcome: Extract<Outcome, { kind: 'retry' | 'dead' }>,
  ): Promise<number | null> {
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
    return isRetried ? retryAt : null
  }
}

/** Removes what a database does not take. */
function storable(error: string): string {
  return error.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

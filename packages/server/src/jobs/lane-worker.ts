import pLimit from 'p-limit'
import { type FreshJobs, moveBack } from './claim.ts'
import { isNothing, type Lane, type LeasedJob, type Report, sum } from './job.ts'
import { handleTurn, type TurnParts } from './turn.ts'

/** Lines of one lane that a process handles at once. */
const SLOTS = 10
/** Lines that wait in memory for a slot. */
const MAX_WAITING = 100
/** Jobs of one line that wait in memory. */
const MAX_FRESH = 1000
const KEYS_PER_READ = 100

/** A line that is under way. A process works on it once at a time. */
interface OpenLine<Payload> {
  readonly fresh: FreshJobs<Payload>
  /** Resolves when it has a slot. */
  readonly started: Promise<void>
  readonly running: Promise<Report>
}

/** Handles the jobs of one lane in this process. */
export class LaneWorker<Payload> {
  readonly #lane: Lane<Payload>
  readonly #parts: TurnParts<Payload>
  readonly #onError: (error: unknown) => void
  readonly #lines = new Map<string, OpenLine<Payload>>()
  readonly #limit = pLimit(SLOTS)

  /** @param onError called with errors of the database in background work */
  constructor(lane: Lane<Payload>, parts: TurnParts<Payload>, onError: (error: unknown) => void) {
    this.#lane = lane
    this.#parts = parts
    this.#onError = onError
  }

  /**
   * Returns whether this process can take another job of a key at once, or must leave it to a poll.
   */
  hasRoom(key: string): boolean {
    if (!this.#lane.isOpen()) return false
    const present = this.#lines.get(key)
    return present ? present.fresh.size < MAX_FRESH : this.#limit.pendingCount < MAX_WAITING
  }

  /**
   * Handles jobs of one key that this process has committed. Resolves when they are handled or
   * released.
   */
  async deliver(key: string, jobs: readonly LeasedJob<Payload>[]): Promise<void> {
    const present = this.#lines.get(key)
    const fresh: FreshJobs<Payload> = present?.fresh ?? new Map()
    for (const job of jobs) fresh.set(job.id, job)
    await (present ?? this.#begin(key, fresh)).running.then(() => {}, this.#onError)
  }

  /**
   * Begins all lines that are due, and waits for a slot for each, but not for its end.
   *
   * @returns the lines that are running
   * @throws the error of the database
   */
  async beginDue(): Promise<readonly Promise<Report>[]> {
    const { leases, clock } = this.#parts
    const running = new Set<Promise<Report>>()
    const idle = new Set<string>() // No job of these could be claimed. They would be found again and again.
    let hasFailed = false
    const isEnding = (): boolean => this.#isStopping() || hasFailed
    while (!isEnding()) {
      const found = await leases.findDue(this.#lane.name, clock(), KEYS_PER_READ)
      for (const key of found) {
        const present = this.#lines.get(key)
        if (present) running.add(present.running)
      }
      const due = found.filter((key) => !this.#lines.has(key) && !idle.has(key))
      if (due.length === 0) break
      for (const key of due) {
        if (isEnding()) break
        const line = this.#lines.get(key) ?? this.#begin(key, new Map())
        running.add(line.running)
        line.running.then(
          (report) => isNothing(report) && idle.add(key),
          () => {
            hasFailed = true
          },
        )
        await line.started
      }
    }
    return [...running]
  }

  /** Handles due jobs until none are left. @throws the error of the database */
  async runDue(): Promise<Report> {
    const reports: Report[] = []
    for (;;) {
      const report = sum(await Promise.all(await this.beginDue()))
      reports.push(report)
      if (isNothing(report)) return sum(reports)
    }
  }

  /** Waits for running lines. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#lines.values()].map(({ running }) => running))
  }

  #isStopping(): boolean {
    return this.#parts.isStopping() || !this.#lane.isOpen()
  }

  #begin(key: string, fresh: FreshJobs<Payload>): OpenLine<Payload> {
    const { promise: started, resolve } = Promise.withResolvers<void>()
    const line = { fresh, started, running: this.#run(key, fresh, resolve) }
    this.#lines.set(key, line)
    return line
  }

  /**
   * Handles a line turn by turn. Other lines run between the turns. It ends when no jobs are left,
   * or when other lines wait and the rest was not committed by this process: the next poll finds
   * it.
   */
  async #run(key: string, fresh: FreshJobs<Payload>, onStart: () => void): Promise<Report> {
    const { leases, clock } = this.#parts
    const reports: Report[] = []
    try {
      for (;;) {
        const { hasMore, ...report } = await this.#limit(() => {
          onStart()
          return handleTurn(this.#parts, this.#lane, key, fresh)
        })
        reports.push(report)
        if (hasMore && fresh.size === 0 && this.#limit.pendingCount > 0) {
          await moveBack(leases, { lane: this.#lane.name, key }, clock())
        } else if (hasMore || fresh.size > 0) continue // Or it was committed after the last turn.
        if (fresh.size === 0) return sum(reports)
      }
    } finally {
      this.#lines.delete(key) // At once: a line that has ended must not get more jobs.
    }
  }
}

import pLimit from 'p-limit'
import { isNothing, type Lane, type Report, sum } from './job.ts'
import { handleTurn, type TurnParts } from './turn.ts'

/** Lines of one lane that a process handles at once. */
const SLOTS = 10
/** Lines that wait in memory for a slot. */
const MAX_WAITING = 100
const KEYS_PER_READ = 100

/** A line that is under way. A process works on it once at a time. */
interface OpenLine {
  /** Resolves when it has a slot. */
  readonly started: Promise<void>
  readonly running: Promise<Report>
}

/** Handles the jobs of one lane in this process. */
export class LaneWorker<Payload> {
  readonly #lane: Lane<Payload>
  readonly #parts: TurnParts<Payload>
  readonly #onError: (error: unknown) => void
  readonly #lines = new Map<string, OpenLine>()
  /** Keys of lines whose jobs were committed since their last turn began. */
  readonly #fresh = new Set<string>()
  readonly #limit = pLimit(SLOTS)

  /** @param onError called with errors of the database in background work */
  constructor(lane: Lane<Payload>, parts: TurnParts<Payload>, onError: (error: unknown) => void) {
    this.#lane = lane
    this.#parts = parts
    this.#onError = onError
  }

  /**
   * Handles the jobs of one key that this process has just committed. If many lines wait already,
   * it leaves them to a poll. Resolves when they are handled or left to others.
   */
  async deliver(key: string): Promise<void> {
    const present = this.#lines.get(key)
    if (present) this.#fresh.add(key)
    else if (this.#isStopping() || this.#limit.pendingCount >= MAX_WAITING) return
    await (present ?? this.#begin(key)).running.then(() => {}, this.#onError)
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
        const line = this.#lines.get(key) ?? this.#begin(key)
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

  #begin(key: string): OpenLine {
    const { promise: started, resolve } = Promise.withResolvers<void>()
    const line = { started, running: this.#run(key, resolve) }
    this.#lines.set(key, line)
    return line
  }

  /**
   * Handles a line turn by turn. Other lines run between the turns. It ends when no jobs are left,
   * or when other lines wait and the rest was not committed by this process: the next poll finds
   * it.
   */
  async #run(key: string, onStart: () => void): Promise<Report> {
    const { leases, clock } = this.#parts
    const turns: Report[] = []
    try {
      for (;;) {
        const turn = await this.#limit(() => {
          onStart()
          this.#fresh.delete(key)
          return handleTurn(this.#parts, this.#lane, key)
        })
        turns.push(turn)
        if (this.#fresh.has(key)) continue
        if (!turn.hasMore) return sum(turns)
        if (this.#limit.pendingCount > 0) {
          await leases.moveBack({ lane: this.#lane.name, key }, clock())
          if (!this.#fresh.has(key)) return sum(turns)
        }
      }
    } finally {
      this.#lines.delete(key) // At once: a line that has ended must not get more jobs.
      this.#fresh.delete(key)
    }
  }
}

import pLimit from 'p-limit'
import { type FreshJobs, moveBack } from './claim.ts'
import { isNothing, type Lane, type LeasedJob, type Report, sum } from './job.ts'
import { handleTurn, type TurnParts } from './turn.ts'

/** Handles the jobs of one lane in this process. */
export interface LaneWorker<Payload> {
  /** Returns whether this process can take another job of a key at once, or must leave it to a poll. */
  hasRoom(key: string): boolean
  /** Handles jobs of one key that this process has committed. Resolves when they are handled or released. */
  deliver(key: string, jobs: readonly LeasedJob<Payload>[]): Promise<void>
  /**
   * Begins all lines that are due, and waits for a slot for each, but not for its end.
   *
   * @returns what is under way
   * @throws what the database threw
   */
  beginDue(): Promise<readonly Promise<Report>[]>
  /** Handles everything that is due until nothing is. @throws what the database threw */
  runDue(): Promise<Report>
  /** Waits for what is under way. */
  settle(): Promise<void>
}

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

/** @param onError called with errors of the database in background work */
export function createLaneWorker<Payload>(
  lane: Lane<Payload>,
  parts: TurnParts<Payload>,
  onError: (error: unknown) => void,
): LaneWorker<Payload> {
  const lines = new Map<string, OpenLine<Payload>>()
  const limit = pLimit(SLOTS)

  function begin(key: string, fresh: FreshJobs<Payload>): OpenLine<Payload> {
    const { promise: started, resolve } = Promise.withResolvers<void>()
    const line = { fresh, started, running: run(key, fresh, resolve) }
    lines.set(key, line)
    return line
  }

  /**
   * Handles a line turn by turn. Between them other lines come first. It ends when there is nothing more, or when others
   * wait and what is left was not committed here: the next look finds it.
   */
  async function run(key: string, fresh: FreshJobs<Payload>, onStart: () => void): Promise<Report> {
    const reports: Report[] = []
    try {
      for (;;) {
        const { hasMore, ...report } = await limit(() => {
          onStart()
          return handleTurn(parts, lane, key, fresh)
        })
        reports.push(report)
        if (hasMore && fresh.size === 0 && limit.pendingCount > 0) {
          await moveBack(parts.leases, { lane: lane.name, key }, parts.clock())
        } else if (hasMore || fresh.size > 0) continue // Or it was committed after the last look.
        if (fresh.size === 0) return sum(reports)
      }
    } finally {
      lines.delete(key) // At once: nothing may join a line that looks no more.
    }
  }

  async function beginDue(): Promise<readonly Promise<Report>[]> {
    const running = new Set<Promise<Report>>()
    const idle = new Set<string>() // Nothing could be claimed of them: they would be found again and again.
    let hasFailed = false
    const isEnding = (): boolean => parts.isStopping() || hasFailed || !lane.isOpen()
    while (!isEnding()) {
      const found = await parts.leases.findDue(lane.name, parts.clock(), KEYS_PER_READ)
      const due: string[] = []
      for (const key of found) {
        const present = lines.get(key)
        if (present) running.add(present.running)
        else if (!idle.has(key)) due.push(key)
      }
      if (due.length === 0) break
      for (const key of due) {
        if (isEnding()) break
        const line = lines.get(key) ?? begin(key, new Map())
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

  return {
    hasRoom(key) {
      if (!lane.isOpen()) return false
      const present = lines.get(key)
      return present ? present.fresh.size < MAX_FRESH : limit.pendingCount < MAX_WAITING
    },
    async deliver(key, jobs) {
      const present = lines.get(key)
      const fresh: FreshJobs<Payload> = present?.fresh ?? new Map()
      for (const job of jobs) fresh.set(job.id, job)
      await (present ?? begin(key, fresh)).running.then(() => {}, onError)
    },
    beginDue,
    async runDue() {
      const reports: Report[] = []
      for (;;) {
        const report = sum(await Promise.all(await beginDue()))
        reports.push(report)
        if (isNothing(report)) return sum(reports)
      }
    },
    async settle() {
      await Promise.allSettled([...lines.values()].map(({ running }) => running))
    },
  }
}

import { pauseAfter } from './backoff.ts'
import { type Claim, claimLine } from './claim.ts'
import type { Job, Lane, Outcome, Report } from './job.ts'
import type { JobRow, Leases } from './job-table.ts'

/** The parts that handle a line. */
export interface TurnParts<Payload> {
  readonly leases: Leases
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
export interface Turn extends Report {
  /** False if there is nothing more, or nothing that may be tried now. */
  readonly hasMore: boolean
}

/** After this many jobs of a line, other lines come first. */
const TURN = 20
/** Milliseconds between the end of the longest attempt and the end of its lease. */
const MARGIN = 10_000

/** Returns the length of a lease in milliseconds. @param timeout of one attempt */
export function leaseOf(timeout: number): number {
  return timeout + MARGIN
}

/**
 * Handles the next jobs of a line, in order, until there are no more, or one must be tried again
 * later: the jobs after it wait for it. In one process it must not run twice at once for a line.
 */
export async function handleTurn<Payload>(
  parts: TurnParts<Payload>,
  lane: Lane<Payload>,
  key: string,
): Promise<Turn> {
  const { leases, clock, attempts } = parts
  const counts = { delivered: 0, retrying: 0, dead: 0 }
  if (isEnding(parts, lane)) return { ...counts, hasMore: false }
  const line = { lane: lane.name, key }
  const claim = await claimLine(leases, line, {
    now: clock(),
    lease: leaseOf(parts.timeout),
    attempts,
    size: lane.together ?? TURN,
    isTogether: lane.together !== undefined,
  })
  if (claim === null) return { ...counts, hasMore: false }
  if (claim.kind === 'spent') {
    const failure = { state: 'dead', nextAttemptAt: clock(), lastError: SPENT } as const
    await leases.markFailed(claim.row, failure)
    return { ...counts, dead: 1, hasMore: true }
  }
  const marks = createMarks(leases, clock)
  const hasMore = await handleClaim(parts, lane, claim, marks, counts)
  await marks.flush()
  return { ...counts, hasMore }
}

const SPENT =
  'No attempt was left, and the last one had no end: the process that made it was killed, or crashed.'

function isEnding<Payload>({ isStopping }: TurnParts<Payload>, lane: Lane<Payload>): boolean {
  return isStopping() || !lane.isOpen()
}

type Counts = { -readonly [Key in keyof Report]: number }

/** @returns false if what comes next must wait */
async function handleClaim<Payload>(
  parts: TurnParts<Payload>,
  lane: Lane<Payload>,
  claim: Claim,
  marks: Marks,
  counts: Counts,
): Promise<boolean> {
  const { leases, clock } = parts
  const size = lane.together ?? 1
  let { leaseEnd } = claim
  for (let start = 0; start < claim.rows.length; start += size) {
    const rest = claim.rows.slice(start)
    const rows = rest.slice(0, size)
    const later = positionsOf(rest.slice(size))
    if (isEnding(parts, lane)) {
      await leases.release(positionsOf(rest), leaseEnd, clock())
      return false
    }
    const longer = await renew(parts, rest, leaseEnd)
    if (longer === null) return false // We were too slow: another process has them.
    leaseEnd = longer
    const outcome = await attempt(parts, lane, rows)
    if (outcome.kind === 'done') {
      marks.add(positionsOf(rows))
      counts.delivered += rows.length
      continue
    }
    await marks.flush()
    if (outcome.kind === 'defer') {
      await leases.release(positionsOf(rest), leaseEnd, outcome.until)
      return false
    }
    const retryAt = await recordFailures(parts, rows, outcome, counts)
    if (retryAt === null) continue
    await leases.release(later, leaseEnd, retryAt)
    return false
  }
  return true
}

/** Makes the lease longer if the rest of it may be too short. Returns null if it is lost. */
async function renew<Payload>(
  { leases, clock, timeout }: TurnParts<Payload>,
  rows: readonly JobRow[],
  leaseEnd: number,
): Promise<number | null> {
  const left = leaseEnd - clock()
  const whole = leaseOf(timeout)
  if (left >= timeout + MARGIN / 2 && left <= whole) return leaseEnd
  const newEnd = clock() + whole
  return (await leases.extend(positionsOf(rows), leaseEnd, newEnd)) ? newEnd : null
}

async function attempt<Payload>(
  { read }: TurnParts<Payload>,
  lane: Lane<Payload>,
  rows: readonly JobRow[],
): Promise<Outcome> {
  try {
    return await lane.handle(rows.map((row) => toJob(row, read)))
  } catch (error) {
    return { kind: 'dead', error: String(error) } // It would throw each time.
  }
}

function toJob<Payload>(
  { id, lane, jobKey, kind, payload, createdAt }: JobRow,
  read: (text: string) => Payload,
): Job<Payload> {
  return { id, lane, key: jobKey, kind, payload: read(payload), createdAt }
}

/** @returns when the first of the rows is tried again; null if all are dead */
async function recordFailures<Payload>(
  { leases, clock, random, attempts }: TurnParts<Payload>,
  rows: readonly JobRow[],
  outcome: Extract<Outcome, { kind: 'retry' | 'dead' }>,
  counts: Counts,
): Promise<number | null> {
  const now = clock()
  const mostTried = Math.max(...rows.map((row) => row.attempts))
  const wish = outcome.kind === 'retry' ? outcome.after : 0
  const retryAt = now + pauseAfter(mostTried, random(), wish)
  const lastError = readable(outcome.error)
  let isRetried = false
  for (const row of rows) {
    const isDead = outcome.kind === 'dead' || row.attempts >= attempts
    await leases.markFailed(row, {
      state: isDead ? 'dead' : 'pending',
      nextAttemptAt: isDead ? now : retryAt,
      lastError,
    })
    counts[isDead ? 'dead' : 'retrying']++
    isRetried ||= !isDead
  }
  if (outcome.kind === 'retry') {
    // A job that succeeded late is not tried again.
    void outcome.late
      ?.then((isDone) => (isDone ? leases.markDelivered(positionsOf(rows), clock()) : undefined))
      .catch(() => {})
  }
  return isRetried ? retryAt : null
}

/** Removes what a database does not take. */
function readable(error: string): string {
  return error.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

function positionsOf(rows: readonly JobRow[]): number[] {
  return rows.map(({ position }) => position)
}

/** Marks jobs as delivered while the next ones run. */
interface Marks {
  add(positions: readonly number[]): void
  /** Waits for the statements. @throws their error; those jobs will be handled again */
  flush(): Promise<void>
}

/**
 * While one statement runs the next positions gather, so that many quick jobs cost few statements.
 */
function createMarks(leases: Leases, clock: () => number): Marks {
  let waiting: number[] = []
  let running = Promise.resolve()
  const write = async (): Promise<void> => {
    const positions = waiting
    waiting = []
    await leases.markDelivered(positions, clock())
  }
  return {
    add(positions) {
      waiting.push(...positions)
      running = running.then(write)
      running.catch(() => {}) // `flush` throws it.
    },
    flush: () => running,
  }
}

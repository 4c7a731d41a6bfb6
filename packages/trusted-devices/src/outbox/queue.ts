import { pauseAfter } from './backoff.ts'
import { createDeliveryMarks, type DeliveryMarks } from './delivery-marks.ts'
import type { Attempted, Destination } from './destination.ts'
import { readFact } from './fact-json.ts'
import type { OutboxRow, OutboxTable } from './outbox-table.ts'
import {
  type Claim,
  type ClaimedRow,
  claimQueue,
  type FreshFacts,
  releaseFresh,
} from './queue-claims.ts'

/** What delivering came to. */
export interface DeliveryReport {
  readonly delivered: number
  /** Failed, and will be tried again. */
  readonly retrying: number
  /** Given up. */
  readonly dead: number
}

/** What delivering a queue needs. */
export interface QueueParts {
  readonly table: OutboxTable
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** After so many attempts without success a row is dead. */
  readonly attempts: number
  /** How long one attempt may take, in milliseconds; it ends by itself. */
  readonly timeout: number
  /** True when the process is about to end: what is not begun is left to others. */
  readonly isStopping: () => boolean
}

/** Milliseconds between the end of an attempt that takes its whole time and the end of its lease. */
const MARGIN = 10_000

/** How long a lease is, in milliseconds. @param timeout of one attempt */
export function leaseOf(timeout: number): number {
  return timeout + MARGIN
}

/** What a turn came to. */
export interface Turn extends DeliveryReport {
  /** False when there is nothing more, or nothing that may be tried now. */
  readonly hasMore: boolean
}

/**
 * Delivers the next events of one user to one destination, in order, until there are no more, or one must be tried again
 * later: the ones behind it wait for it. Run it once at a time for one queue in a process.
 *
 * @param fresh what this process has just committed for this queue; what is delivered or given up leaves it
 */
export async function deliverTurn(
  parts: QueueParts,
  destination: Destination,
  userId: string,
  fresh: FreshFacts,
): Promise<Turn> {
  const { table, clock } = parts
  const queue = { userId, destination: destination.name }
  const counts = { delivered: 0, retrying: 0, dead: 0 }
  if (isToEnd(parts, destination)) {
    await releaseFresh(table, queue, fresh, clock())
    return { ...counts, hasMore: false }
  }
  const options = { now: clock(), lease: leaseOf(parts.timeout), attempts: parts.attempts }
  const claim = await claimQueue(table, queue, fresh, options)
  if (claim === null) return { ...counts, hasMore: false }
  if (claim.kind === 'spent') {
    const { position, attempts } = claim.row
    await table.markFailed(position, attempts, {
      state: 'dead',
      nextAttemptAt: clock(),
      error: SPENT,
    })
    return { ...counts, dead: 1, hasMore: true }
  }
  const marks = createDeliveryMarks(table, clock)
  const hasMore = await deliverClaim(parts, destination, claim, marks, counts)
  await marks.flush()
  if (!hasMore) await releaseFresh(table, queue, fresh, clock())
  return { ...counts, hasMore }
}

const SPENT =
  'No attempt was left, and the last one had no end: the process that made it was killed, or crashed.'

function isToEnd({ isStopping }: QueueParts, destination: Destination): boolean {
  return isStopping() || !destination.isOpen()
}

type Counts = { -readonly [Key in keyof DeliveryReport]: number }

/** @returns false when what comes next must wait */
async function deliverClaim(
  parts: QueueParts,
  destination: Destination,
  claim: Claim,
  marks: DeliveryMarks,
  counts: Counts,
): Promise<boolean> {
  let { leaseEnd } = claim
  for (const [index, claimed] of claim.rows.entries()) {
    const rest = claim.rows.slice(index)
    if (isToEnd(parts, destination)) {
      await giveBack(parts, rest, leaseEnd, parts.clock())
      return false
    }
    const longer = await renew(parts, rest, leaseEnd)
    if (longer === null) return false // We were too slow: others are at it.
    leaseEnd = longer
    const { row } = claimed
    const attempted = await attempt(destination, claimed)
    if (attempted.kind === 'done') {
      marks.add(row.position)
      counts.delivered++
      continue
    }
    await marks.flush()
    const failure = await noteFailure(parts, row, attempted)
    counts[failure.state === 'dead' ? 'dead' : 'retrying']++
    if (failure.state === 'dead') continue
    await giveBack(parts, rest.slice(1), leaseEnd, failure.nextAttemptAt)
    return false
  }
  return true
}

/** Makes the lease longer when what is left of it may not do; null when it is lost. */
async function renew(
  { table, clock, timeout }: QueueParts,
  rows: readonly ClaimedRow[],
  leaseEnd: number,
): Promise<number | null> {
  const left = leaseEnd - clock()
  const whole = leaseOf(timeout)
  if (left >= timeout + MARGIN / 2 && left <= whole) return leaseEnd
  const newEnd = clock() + whole
  return (await table.extend(positionsOf(rows), leaseEnd, newEnd)) ? newEnd : null
}

function giveBack(
  { table }: QueueParts,
  rows: readonly ClaimedRow[],
  leaseEnd: number,
  at: number,
): Promise<void> {
  return table.release(positionsOf(rows), leaseEnd, at)
}

async function attempt(destination: Destination, { row, fresh }: ClaimedRow): Promise<Attempted> {
  try {
    const fact = fresh?.fact ?? readFact(row.payload)
    return await destination.attempt(fact, { user: fresh?.user })
  } catch (error) {
    return { kind: 'refused', error: String(error) } // It would throw each time.
  }
}

async function noteFailure(
  { table, clock, random, attempts }: QueueParts,
  { position, attempts: attempt }: OutboxRow,
  attempted: Exclude<Attempted, { readonly kind: 'done' }>,
) {
  const wish = attempted.kind === 'failed' ? attempted.wish : 0
  const isDead = attempted.kind === 'refused' || attempt >= attempts
  const now = clock()
  const failure = {
    state: isDead ? 'dead' : 'pending',
    nextAttemptAt: isDead ? now : now + pauseAfter(attempt, random(), wish),
    error: readable(attempted.error),
  } as const
  await table.markFailed(position, attempt, failure)
  if (attempted.kind === 'failed') {
    // Whoever was late need not hear of it again.
    void attempted.late
      ?.then((isDone) => (isDone ? table.markDelivered([position], clock()) : undefined))
      .catch(() => {})
  }
  return failure
}

/** What every database takes. */
function readable(error: string): string {
  return error.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

function positionsOf(rows: readonly ClaimedRow[]): number[] {
  return rows.map(({ row }) => row.position)
}

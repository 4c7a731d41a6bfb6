import { LONGEST_WAIT } from './backoff.ts'
import type { JobRow, Leases, Line } from './job-table.ts'

/** Rows to handle one after the other. Their attempts have begun. */
export interface Claim {
  readonly kind: 'claim'
  readonly rows: readonly JobRow[]
  readonly leaseEnd: number
}

/** A first row whose attempts are used up. The last one has no end, because its process died. */
export interface SpentRow {
  readonly kind: 'spent'
  readonly row: JobRow
}

/** How rows are claimed. */
export interface ClaimOptions {
  readonly now: number
  /** The length of a lease, in milliseconds. */
  readonly lease: number
  /** The attempts that a row has. */
  readonly attempts: number
  /** The largest number of rows. */
  readonly size: number
  /** True if one call handles all rows, so that none is claimed alone. */
  readonly isTogether: boolean
}

/**
 * After this many attempts a row is claimed alone. A crash adds one attempt to every row of a
 * claim, and must not use up the attempts of other rows than the one that causes it.
 */
const SHARED_ATTEMPTS = 1

/**
 * Claims the first rows of a line. The first pending row is the lock of its line: while it is
 * leased, no other process begins an attempt on a later one. No row can appear before it, because
 * positions grow under a lock.
 *
 * @returns null if there is nothing to do for this process now
 */
export async function claimLine(
  leases: Leases,
  line: Line,
  { now, lease, attempts, size, isTogether }: ClaimOptions,
): Promise<Claim | SpentRow | null> {
  const [head, ...others] = await leases.findLine(line, size)
  if (!head || !isFree(head, now)) return null // If it is leased, its worker finds the rest.
  if (head.attempts >= attempts) return { kind: 'spent', row: head }
  const leaseEnd = now + lease
  if (!(await leases.claim(head, leaseEnd))) return null
  const isAlone = (row: JobRow): boolean =>
    !isTogether && (row.attempts > SHARED_ATTEMPTS || row.attempts + 1 >= attempts)
  const begun = (row: JobRow): JobRow => ({
    ...row,
    attempts: row.attempts + 1,
    nextAttemptAt: leaseEnd,
  })
  const end = isAlone(head) ? 0 : others.findIndex((row) => !isFree(row, now) || isAlone(row))
  const more = end < 0 ? others : others.slice(0, end)
  const hasMore = more.length > 0 && (await leases.claimMore(more, now, leaseEnd))
  return { kind: 'claim', rows: [head, ...(hasMore ? more : [])].map(begun), leaseEnd }
}

/** Lets lines that have waited longer come first, in this process and in others. */
export async function moveBack(leases: Leases, line: Line, now: number): Promise<void> {
  const [head] = await leases.findLine(line, 1)
  if (head && isFree(head, now)) await leases.moveBack(head, now)
}

function isFree({ attempts, nextAttemptAt }: JobRow, now: number): boolean {
  return attempts === 0 || nextAttemptAt <= now || nextAttemptAt > now + LONGEST_WAIT
}

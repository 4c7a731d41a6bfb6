import { LONGEST_WAIT } from './backoff.ts'
import type { LeasedJob } from './job.ts'
import type { JobRow, Leases, Line } from './job-table.ts'

/** The jobs of one line that this process has just committed, by their ids. */
export type FreshJobs<Payload> = Map<string, LeasedJob<Payload>>

/** A row that this process may handle now, with its attempt begun. */
export interface ClaimedRow<Payload> {
  readonly row: JobRow
  readonly fresh: LeasedJob<Payload> | null
}

/** Rows to handle one after the other. */
export interface Claim<Payload> {
  readonly kind: 'claim'
  readonly rows: readonly ClaimedRow<Payload>[]
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
 * @param fresh what this process has just committed; what is claimed or released is removed
 * @returns null if there is nothing to do for this process now
 */
export async function claimLine<Payload>(
  leases: Leases,
  line: Line,
  fresh: FreshJobs<Payload>,
  options: ClaimOptions,
): Promise<Claim<Payload> | SpentRow | null> {
  const { now, size } = options
  const known = [...fresh.keys()]
  let rows = await leases.findLine(line, size)
  let [head] = rows
  if (!head) {
    // Other processes took them, or they were erased. The next turn handles jobs of later commits.
    await releaseFresh(leases, line, fresh, now, known)
    return null
  }
  if (isFresh(head, fresh)) return takeFresh(rows, fresh)
  if (!isFree(head, now)) {
    if (fresh.size === 0) return null
    // The row is leased or paused. Its worker will handle ours after it.
    await releaseFresh(leases, line, fresh, head.nextAttemptAt)
    // They may have looked for more just before we released ours.
    rows = await leases.findLine(line, size)
    head = rows[0]
    if (!head || !isFree(head, now)) return null
  }
  if (head.attempts >= limitOf(options)) return { kind: 'spent', row: head }
  const claim = await claimRows(leases, rows, fresh, options)
  if (claim === null) await releaseFresh(leases, line, fresh, now)
  return claim
}

/** Releases what this process has just committed. @param at when it is due */
export async function releaseFresh(
  leases: Leases,
  line: Line,
  fresh: FreshJobs<unknown>,
  at: number,
  ids: readonly string[] = [...fresh.keys()],
): Promise<void> {
  for (const id of ids) fresh.delete(id)
  await leases.releaseJobs(line, ids, at)
}

/** Lets lines that have waited longer come first, in this process and in others. */
export async function moveBack(leases: Leases, line: Line, now: number): Promise<void> {
  const [head] = await leases.findLine(line, 1)
  if (head && isFree(head, now)) await leases.moveBack(head, now)
}

/** The attempt that begins with the commit may have died before it called anything. */
function limitOf({ attempts }: ClaimOptions): number {
  return Math.max(attempts, SHARED_ATTEMPTS + 1)
}

async function claimRows<Payload>(
  leases: Leases,
  [head, ...others]: readonly JobRow[],
  fresh: FreshJobs<Payload>,
  options: ClaimOptions,
): Promise<Claim<Payload> | null> {
  const { now, isTogether } = options
  const leaseEnd = now + options.lease
  if (!head || !(await leases.claim(head, leaseEnd))) return null
  const begun = (row: JobRow): ClaimedRow<Payload> => ({
    row: { ...row, attempts: row.attempts + 1, nextAttemptAt: leaseEnd },
    fresh: null,
  })
  const isAlone = ({ attempts }: JobRow): boolean =>
    !isTogether && (attempts > SHARED_ATTEMPTS || attempts + 1 >= limitOf(options))
  const rows = [begun(head)]
  if (isAlone(head)) return { kind: 'claim', rows, leaseEnd }
  const end = others.findIndex((row) => isFresh(row, fresh) || !isFree(row, now) || isAlone(row))
  const more = end < 0 ? others : others.slice(0, end)
  if (more.length > 0 && (await leases.claimMore(more, now, leaseEnd))) {
    rows.push(...more.map(begun))
  }
  return { kind: 'claim', rows, leaseEnd }
}

/**
 * Takes the first rows that one transaction of this process added. Their attempts began with it.
 */
function takeFresh<Payload>(rows: readonly JobRow[], fresh: FreshJobs<Payload>): Claim<Payload> {
  const taken: ClaimedRow<Payload>[] = []
  const leaseEnd = rows[0]?.nextAttemptAt ?? 0
  for (const row of rows) {
    const known = fresh.get(row.id)
    if (!known || !isFresh(row, fresh) || row.nextAttemptAt !== leaseEnd) break
    fresh.delete(row.id)
    taken.push({ row, fresh: known })
  }
  return { kind: 'claim', rows: taken, leaseEnd }
}

/** Returns whether the lease of a row is still valid: no second attempt has begun. */
function isFresh({ id, attempts, nextAttemptAt }: JobRow, fresh: FreshJobs<unknown>): boolean {
  return attempts === 1 && fresh.get(id)?.leaseEnd === nextAttemptAt
}

function isFree({ attempts, nextAttemptAt }: JobRow, now: number): boolean {
  return attempts === 0 || nextAttemptAt <= now || nextAttemptAt > now + LONGEST_WAIT
}

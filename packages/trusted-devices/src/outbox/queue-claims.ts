import type { DeviceFact } from '../devices/facts.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { LONGEST_WAIT } from './backoff.ts'
import type { OutboxRow, OutboxTable, QueueName } from './outbox-table.ts'

/** A fact that this process has just committed, with the row's first attempt already begun for it. */
export interface FreshFact {
  readonly fact: DeviceFact
  readonly user: User | DeletedUser | undefined
  readonly leaseEnd: number
}

/** The facts of one queue that this process has just committed, by event id. */
export type FreshFacts = Map<string, FreshFact>

/** A row that this process may deliver now, with its attempt begun. */
export interface ClaimedRow {
  readonly row: OutboxRow
  readonly fresh: FreshFact | null
}

/** Rows to be delivered one after the other. */
export interface Claim {
  readonly kind: 'claim'
  readonly rows: readonly ClaimedRow[]
  readonly leaseEnd: number
}

/** A first row whose attempts are used up, the last one without an end: whoever made it died. It is nobody's. */
export interface SpentRow {
  readonly kind: 'spent'
  readonly row: OutboxRow
}

/** How rows are claimed. */
export interface ClaimOptions {
  readonly now: number
  /** How long, in milliseconds. */
  readonly lease: number
  /** Attempts that a row has. */
  readonly attempts: number
}

/** Events of one turn of a queue: after so many, other queues come first. */
export const TURN = 20

/**
 * Attempts after which a row is claimed alone. Who dies in an attempt leaves all rows of the claim with one attempt
 * more; those behind must not be used up by the one that kills.
 */
const SHARED_ATTEMPTS = 1

/**
 * Takes the first rows of a queue, as many as can be had at once. The first pending row is the queue's lock: nobody begins
 * an attempt on a later one while it is leased to somebody else. It cannot change behind our back, for positions grow
 * under the lock of the owner.
 *
 * @param fresh what this process has just committed; what is taken, or given up for others to take, leaves it
 * @returns null when there is nothing to do for us now
 */
export async function claimQueue(
  table: OutboxTable,
  queue: QueueName,
  fresh: FreshFacts,
  options: ClaimOptions,
): Promise<Claim | SpentRow | null> {
  const { now } = options
  const known = [...fresh.keys()]
  let rows = await table.findQueue(queue, TURN)
  let [head] = rows
  if (!head) {
    // Others took them, or they were erased. What was committed since the look stays for the next one.
    await releaseFresh(table, queue, fresh, now, known)
    return null
  }
  if (isFresh(head, fresh)) return takeFresh(rows, fresh)
  if (!isFree(head, now)) {
    if (fresh.size === 0) return null
    // Somebody is at it, or it pauses: they, or whoever comes when it is over, will take ours after it.
    await releaseFresh(table, queue, fresh, head.nextAttemptAt)
    // They may have looked for more just before we gave ours up.
    rows = await table.findQueue(queue, TURN)
    head = rows[0]
    if (!head || !isFree(head, now)) return null
  }
  if (head.attempts >= mostOf(options)) return { kind: 'spent', row: head }
  const claim = await claimRows(table, rows, fresh, options)
  if (claim === null) await releaseFresh(table, queue, fresh, now)
  return claim
}

/** Gives up what this process has just committed, for whoever comes to it. @param at when it can be due */
export async function releaseFresh(
  table: OutboxTable,
  queue: QueueName,
  fresh: FreshFacts,
  at: number,
  eventIds: readonly string[] = [...fresh.keys()],
): Promise<void> {
  for (const eventId of eventIds) fresh.delete(eventId)
  await table.releaseEvents(queue, eventIds, at)
}

/** Lets queues that have waited longer come first, in this process and in others. */
export async function moveBack(table: OutboxTable, queue: QueueName, now: number): Promise<void> {
  const [head] = await table.findQueue(queue, 1)
  if (head && isFree(head, now)) await table.moveBack(head, now)
}

/** The only attempt of a fresh row begins with the commit; it may have died before it came to it. */
function mostOf({ attempts }: ClaimOptions): number {
  return Math.max(attempts, SHARED_ATTEMPTS + 1)
}

async function claimRows(
  table: OutboxTable,
  [head, ...others]: readonly OutboxRow[],
  fresh: FreshFacts,
  options: ClaimOptions,
): Promise<Claim | null> {
  const { now } = options
  const leaseEnd = now + options.lease
  if (!head || !(await table.claim(head, leaseEnd))) return null
  const rows = [{ row: begun(head, leaseEnd), fresh: null }]
  const isAlone = ({ attempts }: OutboxRow): boolean =>
    attempts > SHARED_ATTEMPTS || attempts + 1 >= mostOf(options)
  if (isAlone(head)) return { kind: 'claim', rows, leaseEnd }
  const end = others.findIndex((row) => isFresh(row, fresh) || !isFree(row, now) || isAlone(row))
  const more = end < 0 ? others : others.slice(0, end)
  if (more.length > 0 && (await table.claimMore(more, now, leaseEnd))) {
    rows.push(...more.map((row) => ({ row: begun(row, leaseEnd), fresh: null })))
  }
  return { kind: 'claim', rows, leaseEnd }
}

/** The first rows that one transaction of ours wrote; their attempts began with them. */
function takeFresh(rows: readonly OutboxRow[], fresh: FreshFacts): Claim {
  const taken: ClaimedRow[] = []
  const leaseEnd = rows[0]?.nextAttemptAt ?? 0
  for (const row of rows) {
    const known = fresh.get(row.eventId)
    if (!known || !isFresh(row, fresh) || row.nextAttemptAt !== leaseEnd) break
    fresh.delete(row.eventId)
    taken.push({ row, fresh: known })
  }
  return { kind: 'claim', rows: taken, leaseEnd }
}

/** Ours still: nobody has begun a second attempt because the lease was over. */
function isFresh({ eventId, attempts, nextAttemptAt }: OutboxRow, fresh: FreshFacts): boolean {
  return attempts === 1 && fresh.get(eventId)?.leaseEnd === nextAttemptAt
}

function isFree({ attempts, nextAttemptAt }: OutboxRow, now: number): boolean {
  return attempts === 0 || nextAttemptAt <= now || nextAttemptAt > now + LONGEST_WAIT
}

function begun(row: OutboxRow, leaseEnd: number): OutboxRow {
  return { ...row, attempts: row.attempts + 1, nextAttemptAt: leaseEnd }
}

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
  readonly rows: readonly ClaimedRow[]
  readonly leaseEnd: number
}

const BATCH = 100

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
  now: number,
  lease: number,
): Promise<Claim | null> {
  let rows = await table.findQueue(queue, BATCH)
  const [head] = rows
  if (!head) return null
  if (isFresh(head, fresh)) return takeFresh(rows, fresh)
  if (!isFree(head, now)) {
    if (fresh.size === 0) return null
    // Somebody is at it, or it pauses: they, or whoever comes when it is over, will take ours after it.
    await releaseFresh(table, queue, fresh, head.nextAttemptAt)
    // They may have looked for more just before we gave ours up.
    rows = await table.findQueue(queue, BATCH)
    const [next] = rows
    if (!next || !isFree(next, now)) return null
  }
  const claim = await claimRows(table, rows, fresh, now, now + lease)
  if (claim === null) await releaseFresh(table, queue, fresh, now)
  return claim
}

/** Gives up what this process has just committed, for whoever comes to it. @param at when it can be due */
export async function releaseFresh(table: OutboxTable, queue: QueueName, fresh: FreshFacts, at: number): Promise<void> {
  const eventIds = [...fresh.keys()]
  fresh.clear()
  await table.releaseEvents(queue, eventIds, at)
}

async function claimRows(
  table: OutboxTable,
  [head, ...others]: readonly OutboxRow[],
  fresh: FreshFacts,
  now: number,
  leaseEnd: number,
): Promise<Claim | null> {
  if (!head || !(await table.claim(head, leaseEnd))) return null
  const rows = [{ row: begun(head, leaseEnd), fresh: null }]
  const end = others.findIndex((row) => isFresh(row, fresh) || !isFree(row, now))
  const more = end < 0 ? others : others.slice(0, end)
  if (more.length > 0 && (await table.claimMore(more, now, leaseEnd))) {
    rows.push(...more.map((row) => ({ row: begun(row, leaseEnd), fresh: null })))
  }
  return { rows, leaseEnd }
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
  return { rows: taken, leaseEnd }
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

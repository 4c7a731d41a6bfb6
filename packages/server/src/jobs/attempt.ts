import type { Job, Outcome, QueueParts, Report } from './job.ts'
import { isFree, type JobHead, LONGEST_AFTER, LONGEST_PAUSE } from './job-store.ts'
import type { JobRow } from './job-table.ts'

const FIRST_PAUSE = 5000
const MARGIN = 10_000 // Milliseconds from the end of the longest attempt to that of its lease.
const SPENT =
  'The last attempt did not finish, because its process crashed or was killed. No attempts are left.'

/**
 * Makes one attempt to handle the first jobs of a key.
 *
 * @param heads the first pending rows of the key, in order
 * @returns null if nothing was attempted; then the other jobs of the key must wait too
 */
export async function attemptJobs<Payload>(
  options: QueueParts<Payload>,
  heads: readonly JobHead[],
): Promise<Report | null> {
  const { store, clock, attempts, timeout } = options
  const now = clock()
  const [head] = heads
  if (!head || !isFree(head, now)) return null // The worker that leased it handles the rest.
  if (head.attempts >= attempts) {
    await store.markFailed(head, { state: 'dead', nextAttemptAt: now, lastError: SPENT })
    return { delivered: 0, retrying: 0, dead: 1 }
  }
  const leaseEnd = now + Math.ceil(timeout * 1000) + MARGIN
  if (!(await store.claim(head, leaseEnd))) return null
  const busy = heads.findIndex((each) => !isFree(each, now))
  const others = heads.slice(1, busy < 0 ? heads.length : busy)
  if (others.length > 0) await store.claimMore(others, now, leaseEnd)
  // An erasure may have changed or deleted rows before the claim.
  const rows = await store.findLeased([head, ...others], leaseEnd)
  const outcome = await handle(options, rows)
  if (outcome.kind === 'defer') {
    await store.release(rows, leaseEnd, outcome.until)
    return null
  }
  if (outcome.kind !== 'done') return recordFailures(options, rows, outcome)
  await store.markDelivered(rows, clock())
  return { delivered: rows.length, retrying: 0, dead: 0 }
}

async function handle<Payload>(
  { handler, read }: QueueParts<Payload>,
  rows: readonly JobRow[],
): Promise<Outcome> {
  if (rows.length === 0) return { kind: 'done' }
  const toJob = ({ id, jobKey: key, kind, payload, createdAt }: JobRow): Job<Payload> => ({
    id,
    key,
    kind,
    payload: read(payload),
    createdAt,
  })
  try {
    return await handler.handle(rows.map(toJob))
  } catch (error) {
    return { kind: 'dead', error: String(error) } // A retry would throw again.
  }
}

async function recordFailures<Payload>(
  { store, clock, random, attempts }: QueueParts<Payload>,
  rows: readonly JobRow[],
  outcome: Extract<Outcome, { kind: 'retry' | 'dead' }>,
): Promise<Report> {
  const now = clock()
  const mostTried = Math.max(...rows.map((row) => row.attempts))
  const after = outcome.kind === 'retry' ? outcome.after : 0
  const retryAt = now + pauseAfter(mostTried, random(), after)
  const lastError = storable(outcome.error)
  let dead = 0
  for (const row of rows) {
    const isDead = outcome.kind === 'dead' || row.attempts >= attempts
    const nextAttemptAt = isDead ? now : retryAt
    await store.markFailed(row, { state: isDead ? 'dead' : 'pending', nextAttemptAt, lastError })
    if (isDead) dead++
  }
  if (outcome.kind === 'retry') {
    // If an attempt succeeds after its time limit, its jobs are not retried.
    void outcome.late
      ?.then((isDone) => (isDone ? store.markDelivered(rows, clock()) : undefined))
      .catch(() => {})
  }
  return { delivered: 0, retrying: rows.length - dead, dead }
}

// The longest pause is 5 s after the first attempt, then twice as long each time, at most an hour.
// The pause is a random time from half of it to all of it, so that jobs that failed together are
// not retried together.
function pauseAfter(attempts: number, random: number, after = 0): number {
  const longest = Math.min(FIRST_PAUSE * 2 ** Math.min(attempts - 1, 30), LONGEST_PAUSE)
  return Math.ceil(Math.max((longest * (1 + random)) / 2, Math.min(after, LONGEST_AFTER)))
}

// Every database can store the result.
function storable(error: string): string {
  return error.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

import type { SqlExecutor } from '@quillgate/server/database'
import { createQueue, type Lane, type LeasedJob, type Queue } from '@quillgate/server/jobs'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { AlertEvent } from './alert-event.ts'
import type { AlertTable } from './alert-table.ts'

/** Decides when users get mails. Its state is in the database, so all nodes share it. */
export interface AlertQueue extends Pick<Queue<null>, 'runDue' | 'start' | 'stop' | 'settle'> {
  /**
   * Stores an event, unless it is known, or the user said of such a device that it was them. The
   * mail follows: its sending is begun, but not waited for.
   */
  add(event: AlertEvent): Promise<void>
  /**
   * Reserves a place in the hour for the mail that an alert leads.
   *
   * @param waiting the alerts that the mail is about
   * @returns null, or when there is a place again
   */
  reserve(lead: AlertEvent, waiting: readonly AlertEvent[]): Promise<number | null>
}

/** The options of {@link createAlertQueue}. */
export interface AlertQueueOptions {
  readonly db: DeviceDatabase
  readonly table: AlertTable
  /** The most mails of a user within an hour. */
  readonly mailsPerHour: number
  /** Seconds that writing and sending a mail may take. */
  readonly sendTimeout: number
  /** Milliseconds for which alerts are kept. */
  readonly retention: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Sends one mail about some alerts of a user. */
  readonly handle: Lane<null>['handle']
  readonly onError: (error: unknown) => void
}

const LANE = 'mail'
const HOUR = 3_600_000
const POLL_INTERVAL = 30
/** A mail about more sign-ins than this leaves the rest to the next one. */
const MAX_TOGETHER = 500
/** More than there are within the day for which a mail is tried. */
const MAX_ATTEMPTS = 100

/** Creates the queue: one job per alert, and one mail about all jobs of a user that wait. */
export function createAlertQueue(options: AlertQueueOptions): AlertQueue {
  const { db, table, mailsPerHour, sendTimeout, retention, clock, handle, onError } = options
  const { executor, undurable } = db
  const queue = createQueue<null>({
    table: db.mails,
    executor,
    relaxed: undurable,
    lanes: [{ name: LANE, together: MAX_TOGETHER, isOpen: () => true, handle }],
    write: () => '', // The alert has everything.
    read: () => null,
    clock,
    random: Math.random,
    attempts: MAX_ATTEMPTS,
    timeout: sendTimeout,
    interval: POLL_INTERVAL,
    retention: retention / 1000,
    onPrune: (before) => table.forget(executor, null, before, clock()),
    onError,
  })

  async function addIn(tx: SqlExecutor, event: AlertEvent): Promise<LeasedJob<null>[]> {
    const { eventId, userId, scope, kind } = event
    const now = clock()
    await table.forget(tx, userId, now - retention, now)
    if (kind !== 'compromised' && (await table.isMuted(tx, userId, scope, now))) return []
    if (!(await table.insert(tx, event, 'waiting'))) return []
    const job = { id: eventId, lane: LANE, key: userId, kind, payload: null, createdAt: now }
    return queue.add(tx, [job])
  }

  return {
    async add(event) {
      const jobs = await db.forUser(event.userId, clock(), (tx) => addIn(tx, event))
      void queue.deliver(jobs)
    },
    reserve: (lead, waiting) =>
      db.forUser(lead.userId, clock(), async (tx) => {
        const now = clock()
        const ids = waiting.map(({ eventId }) => eventId)
        const mails = await table.mailsSince(tx, lead.userId, now - HOUR, ids)
        const blocking = mails[mailsPerHour - 1] // When it is an hour old, there is a place again.
        // A process that was killed may have left a reservation.
        await table.setMailedAt(tx, ids, null)
        if (blocking !== undefined) return blocking + HOUR
        await table.setMailedAt(tx, [lead.eventId], now)
        return null
      }),
    runDue: queue.runDue,
    start: queue.start,
    stop: queue.stop,
    settle: queue.settle,
  }
}

import type { SqlExecutor } from '@quillgate/server/database'
import { type Lane, Queue } from '@quillgate/server/jobs'
import type { Alert } from './alert.ts'
import type { AlertStore, StoredAlert } from './alert-store.ts'
import type { Limits } from './options.ts'

/** The options of {@link createMailQueue}. */
export interface MailQueueOptions {
  readonly store: AlertStore
  readonly limits: Limits
  /** Milliseconds for which cities are kept; null: as long as their alert. */
  readonly cityAge: number | null
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Sends one mail about some alerts of a user. */
  readonly handle: Lane<null>['handle']
  readonly onError: (error: unknown) => void
}

const LANE = 'mail'
const POLL_INTERVAL = 30
/** A mail about more sign-ins than this leaves the rest to the next one. */
const MAX_TOGETHER = 500
/** More than there are within the day for which a mail is tried. */
const MAX_ATTEMPTS = 100
const KEPT = 2 * 86_400_000 // Longer than a mail is tried.

/** Decides when users get mails. Its state is in the database, so all nodes share it. */
export interface MailQueue extends Pick<Queue<null>, 'runDue' | 'start' | 'stop' | 'settle'> {
  /**
   * Stores an alert, unless it is known, or the user said of such a device that it was them. The
   * mail follows: its sending is begun, but not waited for.
   */
  add(alert: Alert): Promise<void>
}

/** Creates the queue: one job per alert, and one mail about all jobs of a user that wait. */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { store, limits, cityAge, clock, handle, onError } = options
  const retention = Math.max(limits.linkLifetime, KEPT)
  const queue = new Queue<null>({
    table: store.mails,
    executor: store.executor,
    relaxed: store.undurable,
    lanes: [{ name: LANE, together: MAX_TOGETHER, isOpen: () => true, handle }],
    write: () => '', // The alert has everything.
    read: () => null,
    clock,
    random: Math.random,
    attempts: MAX_ATTEMPTS,
    timeout: limits.sendTimeout,
    interval: POLL_INTERVAL,
    retention: retention / 1000,
    async onPrune(before) {
      await store.forget(before, clock())
      if (cityAge !== null) await store.forgetCities(clock() - cityAge)
    },
    onError,
  })

  async function addIn(tx: SqlExecutor, alert: Alert): Promise<void> {
    const { eventId, userId, scope, kind } = alert
    const now = clock()
    if (kind !== 'compromised' && (await store.isMuted(tx, userId, scope, now))) return
    if (!(await store.insert(tx, alert))) return
    const job = { id: eventId, lane: LANE, key: userId, kind, payload: null, createdAt: now }
    await queue.add(tx, [job])
  }

  return {
    async add(alert) {
      await store.forUser(alert.userId, (tx) => addIn(tx, alert))
      void queue.deliver({ lane: LANE, key: alert.userId })
    },
    runDue: () => queue.runDue(),
    start: () => queue.start(),
    stop: () => queue.stop(),
    settle: () => queue.settle(),
  }
}

const HOUR = 3_600_000

/**
 * Reserves a place in the hour for a mail.
 *
 * @param alerts what the mail is about; the first one leads it
 * @returns null, or when there is a place again
 */
export function reservePlace(
  store: AlertStore,
  [lead, ...more]: readonly [StoredAlert, ...StoredAlert[]],
  mailsPerHour: number,
  now: number,
): Promise<number | null> {
  const ids = [lead, ...more].map(({ eventId }) => eventId)
  return store.forUser(lead.userId, async (tx) => {
    const mails = await store.mailsSince(tx, lead.userId, now - HOUR, ids)
    const blocking = mails[mailsPerHour - 1] // When it is an hour old, there is a place again.
    // A process that was killed may have left a reservation.
    await store.markMailed(ids, { mailedAt: null }, tx)
    if (blocking !== undefined) return blocking + HOUR
    await store.markMailed([lead.eventId], { mailedAt: now, isSummary: more.length > 0 }, tx)
    return null
  })
}

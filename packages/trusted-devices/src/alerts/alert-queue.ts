import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { AlertEvent } from './alert-event.ts'
import type { AlertTable } from './alert-table.ts'

/** What goes into one mail. */
export interface WaitingMail {
  readonly lead: AlertEvent
  /** The most serious and newest of the others. */
  readonly more: readonly AlertEvent[]
  readonly moreCount: number
  /** How often it was tried, this time included. */
  readonly attempt: number
}

/** Decides what is told when. Its state is in the database, changed under the owner's lock, so all nodes share it. */
export interface AlertQueue {
  /** Keeps an event to be told, unless it is known, or the user said of such a device that it was them. */
  add(event: AlertEvent): Promise<void>
  /** Takes what waits for a user, for one mail; null when nothing does, or the hour is full. */
  take(userId: string): Promise<WaitingMail | null>
  /** @param state `skipped`: there was nobody to send it to, so it counts for no limit */
  done(mail: WaitingMail, state: 'sent' | 'skipped'): Promise<void>
  /** It is tried again later, up to a day. */
  failed(mail: WaitingMail): Promise<void>
}

const HOUR = 3_600_000
const SHOWN = 10
/** So long a process may take to send a mail, before another one does. */
const LEASE = 600_000
const FIRST_PAUSE = 30_000
const GIVE_UP_AFTER = 24 * HOUR

/** @param limit most mails of a user within an hour @param clock milliseconds since the epoch */
export function createAlertQueue(
  db: DeviceDatabase,
  table: AlertTable,
  {
    limit,
    retention,
    clock,
  }: { readonly limit: number; readonly retention: number; readonly clock: () => number },
): AlertQueue {
  return {
    async add(event) {
      const { userId, scope, kind } = event
      await db.forUser(userId, clock(), async (tx) => {
        const now = clock()
        await table.forget(tx, userId, now - retention, now)
        if (kind !== 'compromised' && (await table.isMuted(tx, userId, scope, now))) return
        await table.insert(tx, event, 'held', now)
      })
    },
    take: (userId) =>
      db.forUser(userId, clock(), async (tx) => {
        const now = clock()
        const [lead, ...more] = await table.waiting(tx, userId, now, 1 + SHOWN)
        if (!lead) return null
        const mails = await table.mailsSince(tx, userId, now - HOUR, now)
        const blocking = mails[limit - 1] // When it is an hour old, there is room again.
        if (blocking !== undefined) {
          await table.defer(tx, userId, now, blocking + HOUR)
          return null
        }
        const moreCount = (await table.countWaiting(tx, userId, now)) - 1
        await table.begin(tx, userId, lead.eventId, now, now + LEASE)
        return { lead, more, moreCount, attempt: await table.attempts(tx, lead.eventId) }
      }),
    done: ({ lead: { userId, eventId } }, state) => table.done(db.executor, userId, eventId, state),
    failed({ lead: { userId, eventId }, attempt }) {
      const now = clock()
      const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), HOUR)
      return table.failed(db.executor, userId, eventId, now + pause, now - GIVE_UP_AFTER)
    },
  }
}

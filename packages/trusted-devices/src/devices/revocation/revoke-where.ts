import { type Expression, expressionBuilder, type Kysely, type SqlBool } from 'kysely'
import { RECEIVER_DEADLINE } from '../../settings.ts'
import type { Changes, EventOutlet } from '../changes.ts'
import type { DeviceEvent, RevocationReason } from '../device-event.ts'
import type { DeviceDatabase } from '../tables/device-database.ts'
import type { DeviceRows } from '../tables/schema.ts'

/** The result of revoking devices of many users. */
export interface ManyRevoked {
  readonly revoked: number
  /** Users whose devices could not be revoked. */
  readonly failures: readonly { readonly userId: string; readonly error: unknown }[]
}

/**
 * Revokes the devices that match a condition, one transaction per user. Each DELETE checks the
 * condition again, so a device that no longer matches is kept. Revokes the devices of the next user
 * without waiting for receivers, so that all sessions end soon. The condition can also match
 * devices that were revoked earlier. Their browsers are then no longer recognized, unless the
 * reason is `stale`.
 *
 * @param which a condition on columns that the table of revoked devices also has
 */
export async function revokeWhere(
  changes: Changes,
  db: DeviceDatabase,
  which: Expression<SqlBool>,
  reason: RevocationReason,
): Promise<ManyRevoked> {
  const distrusts = reason !== 'stale'
  const rows = db.on(db.executor)
  const publication = new PacedPublication(changes.outlet)
  let revoked = 0
  const failures = new Map<string, unknown>() // After a failure, a user is not tried again.
  try {
    for await (const userId of ownersOf(rows, which, distrusts)) {
      if (failures.has(userId)) continue
      try {
        const { result, events } = await changes.run(userId, async (change) => {
          const removed = await change.devices.remove(userId, which)
          if (distrusts) await change.revoked.distrust(userId, which)
          await change.recordRevoked(removed, reason, null)
          return removed.length
        })
        revoked += result
        publication.add(events)
      } catch (error) {
        failures.set(userId, error)
      }
    }
  } finally {
    await publication.done()
  }
  return { revoked, failures: [...failures].map(([userId, error]) => ({ userId, error })) }
}

/** Yields the owners of matching devices. A user may be yielded twice. */
async function* ownersOf(
  rows: Kysely<DeviceRows>,
  which: Expression<SqlBool>,
  withRevoked: boolean,
): AsyncGenerator<string> {
  const eb = expressionBuilder<DeviceRows, 'deviceRevoked'>()
  yield* ownersIn(rows, 'device', which)
  if (!withRevoked) return
  yield* ownersIn(rows, 'deviceRevoked', eb.and([which, eb('mayReturn', '=', true)]))
}

const USERS_PER_READ = 500

async function* ownersIn(
  rows: Kysely<DeviceRows>,
  table: 'device' | 'deviceRevoked',
  which: Expression<SqlBool>,
): AsyncGenerator<string> {
  const search = rows.selectFrom(table).select('userId').distinct().where(which)
  const page = search.orderBy('userId').limit(USERS_PER_READ)
  let owners = await page.execute()
  while (owners.length > 0) {
    for (const { userId } of owners) yield userId
    const last = owners.at(-1)?.userId ?? ''
    owners = owners.length < USERS_PER_READ ? [] : await page.where('userId', '>', last).execute()
  }
}

const USERS_AT_ONCE = 20
const SHORT_WAIT = 1 // Seconds for which a slot waits after a receiver missed the deadline.

/**
 * Publishes the events of many users. There are 20 slots. Each slot publishes the events of one
 * user at a time. Other events wait in memory, so that revocations do not wait for receivers.
 */
export class PacedPublication {
  readonly #outlet: Pick<EventOutlet, 'publishWithin'>
  readonly #waiting = new Set<readonly DeviceEvent[]>()
  readonly #running = new Set<Promise<void>>()
  /** The seconds for which each free slot waits for the receivers of one user. */
  readonly #slots: number[]

  constructor(outlet: Pick<EventOutlet, 'publishWithin'>) {
    this.#outlet = outlet
    this.#slots = Array.from({ length: USERS_AT_ONCE }, () => RECEIVER_DEADLINE)
  }

  add(events: readonly DeviceEvent[]): void {
    if (events.length === 0) return
    this.#waiting.add(events)
    const wait = this.#slots.pop()
    if (wait === undefined) return
    const running = this.#publishWaiting(wait).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /**
   * Waits until all events are published. Waits at most {@link RECEIVER_DEADLINE} seconds for the
   * receivers of each user.
   */
  async done(): Promise<void> {
    await Promise.all(this.#running)
  }

  /**
   * Publishes all waiting events in one slot. If receivers hang, the slot waits for the full
   * deadline only once, not for every user.
   */
  async #publishWaiting(longest: number): Promise<void> {
    let wait = longest
    for (const events of this.#waiting) {
      this.#waiting.delete(events)
      if (!(await this.#outlet.publishWithin(wait, events))) wait = SHORT_WAIT
    }
    this.#slots.push(wait)
  }
}

import { isQuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { AllSettings } from '../settings.ts'
import { createUuid } from '../uuid.ts'
import type { DeviceEvent, DraftEvent, RevocationReason } from './device-event.ts'
import type { DeviceDatabase, UserTransaction } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { DeletedUser } from './users.ts'

/** A change of a user's devices in one transaction. */
export interface Change extends UserTransaction {
  readonly settings: AllSettings
  /** The time of the change in milliseconds since the epoch. */
  readonly now: number
  /** Adds an event. Events are published in the order in which they were added. */
  addEvent(draft: DraftEvent): void
  /** Adds a `revoked` event for each deleted device, and stores the device as revoked. */
  recordRevoked(
    records: readonly DeviceRecord[],
    reason: RevocationReason,
    actor: string | null,
  ): Promise<void>
}

/** The result of a change, and the events to publish. */
export interface Outcome<Result> {
  readonly result: Result
  readonly events: readonly DeviceEvent[]
}

/** Stores events in the transaction that causes them, so that a crash does not lose them. */
export interface EventRecorder {
  record(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<void>
}

/** Publishes the events of one user after the commit. The promises never reject. */
export interface EventOutlet {
  /** Waits for receivers for at most `receiverTimeout`. Looks up the user if `user` is null. */
  publish(events: readonly DeviceEvent[], user: DeletedUser | null): Promise<void>
  /** Waits for receivers for at most `seconds`. Returns false if a receiver takes longer. */
  publishWithin(seconds: number, events: readonly DeviceEvent[]): Promise<boolean>
}

interface ChangesOptions {
  readonly db: DeviceDatabase
  readonly settings: AllSettings
  /** The outbox, or null. */
  readonly recorder: EventRecorder | null
  readonly outlet: EventOutlet
  readonly clock: () => number
  /**
   * Called if there is no outbox and it is unknown whether a commit succeeded. The events of the
   * transaction are not published.
   */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
}

/** Changes the devices of users. */
export class Changes {
  /** Publishes the events that {@link Changes.run} returns. */
  readonly outlet: EventOutlet
  readonly #options: ChangesOptions

  constructor(options: ChangesOptions) {
    this.outlet = options.outlet
    this.#options = options
  }

  /** Runs a change, and publishes its events. */
  async apply<Result>(
    userId: string,
    user: DeletedUser | null,
    work: (change: Change) => Promise<Result>,
  ): Promise<Result> {
    const { result, events } = await this.run(userId, work)
    await this.outlet.publish(events, user)
    return result
  }

  /**
   * Changes one user's devices in a transaction that has locked the user. Stores the events in
   * the same transaction if there is an outbox.
   *
   * @param registers true for a change that may register the user's first device
   * @throws QuillgateError `commit_unknown` if the connection broke during the commit
   */
  async run<Result>(
    userId: string,
    work: (change: Change) => Promise<Result>,
    registers = false,
  ): Promise<Outcome<Result>> {
    const { db, settings, clock, recorder, onLost } = this.#options
    let events: DeviceEvent[] = []
    try {
      const result = await db.forUser(userId, clock(), registers, async (transaction) => {
        events = [] // After a deadlock, the work runs again and adds its events again.
        const now = clock() // Waiting for the lock can take long, so the time is read afterwards.
        const change = createChange(transaction, settings, userId, now, events)
        const result = await work(change)
        await recorder?.record(transaction.tx, events)
        return result
      })
      return { result, events }
    } catch (error) {
      const isInDoubt = isQuillgateError(error) && error.code === 'commit_unknown'
      if (isInDoubt && !recorder && events.length > 0) onLost(events, error)
      throw error
    }
  }
}

function createChange(
  transaction: UserTransaction,
  settings: AllSettings,
  userId: string,
  now: number,
  events: DeviceEvent[],
): Change {
  const addEvent = (draft: DraftEvent): void => {
    events.push({ ...draft, userId, eventId: createUuid(now), at: new Date(now) })
  }
  return {
    ...transaction,
    ...{ settings, now, addEvent },
    async recordRevoked(records, reason, actor) {
      for (const { device, sessionId } of records)
        addEvent({ kind: 'revoked', device, reason, actor, sessionId })
      await transaction.revoked.remember(records, now, (uid) => isHarmlessEnd(reason, uid, actor))
    },
  }
}

/**
 * Returns whether a device was revoked for a harmless reason. Its browser may then sign in again
 * without an alert. A user may revoke all devices to remove an intruder. The reason `revoke_all` is
 * therefore harmless only for the device that requested the revocation.
 */
function isHarmlessEnd(reason: RevocationReason, uid: string, actor: string | null): boolean {
  const isOwn = (reason === 'logout' || reason === 'revoke_all') && uid === actor
  return isOwn || reason === 'stale' || reason === 'limit'
}

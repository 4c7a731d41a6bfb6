import { isQuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { createUuid } from '../uuid.ts'
import type { DeviceEvent, DraftEvent, Outcome, RevocationReason } from './device-event.ts'
import type { DeviceDatabase, UserTransaction } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** A change of a user's devices, inside its transaction. */
export interface Change extends UserTransaction {
  /** The time of the change in milliseconds since the epoch. */
  readonly now: number
  /** Adds an event. Events are published in the order in which they were added. */
  state(draft: DraftEvent): void
  /** Adds a `revoked` event for each deleted device, and stores it as a revoked device. */
  ended(
    records: readonly DeviceRecord[],
    reason: RevocationReason,
    actor: string | null,
  ): Promise<void>
}

/**
 * Stores events in the transaction that causes them, so that they can be delivered after a crash.
 */
export interface EventRecorder {
  record(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<void>
}

/** The options of {@link Changes}. */
export interface ChangesOptions {
  readonly db: DeviceDatabase
  /** The outbox, or null. */
  readonly recorder: EventRecorder | null
  /** Returns the time in milliseconds since the epoch. */
  readonly clock: () => number
  /**
   * Called with the events of a transaction that may not have been committed. Their signals are not
   * sent.
   */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
}

/** Changes the devices of users. */
export class Changes {
  readonly #options: ChangesOptions

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  /**
   * Changes one user's devices in a transaction that holds the user's lock. Stores the events in
   * the same transaction if there is an outbox.
   *
   * @param options.registers true for a change that may register the user's first device
   * @throws QuillgateError `commit_unknown` if the connection broke during the commit
   */
  async run<Result>(
    userId: string,
    work: (change: Change) => Promise<Result>,
    { registers = false }: { readonly registers?: boolean } = {},
  ): Promise<Outcome<Result>> {
    const { db, clock, recorder, onLost } = this.#options
    let events: DeviceEvent[] = []
    try {
      const result = await db.forUser(userId, clock(), registers, async (transaction) => {
        events = [] // The transaction runs again after a deadlock.
        const now = clock() // Read after waiting for the lock, which can take long.
        const result = await work(createChange(transaction, userId, now, events))
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
  userId: string,
  now: number,
  events: DeviceEvent[],
): Change {
  const state = (draft: DraftEvent): void => {
    events.push({ ...draft, userId, eventId: createUuid(now), at: new Date(now) })
  }
  return {
    ...transaction,
    now,
    state,
    async ended(records, reason, actor) {
      for (const { device, sessionId } of records)
        state({ kind: 'revoked', device, reason, actor, sessionId })
      const ended = records.map((record) => ({
        record,
        mayReturn: isHarmlessEnd(reason, record.device.uid, actor),
      }))
      await transaction.revoked.remember(ended, now)
    },
  }
}

/**
 * Returns whether a device was revoked for a harmless reason, so that its browser may return
 * without an alert. A revoke-all can be meant to remove an intruder, so it is harmless only for the
 * device that requested it.
 */
function isHarmlessEnd(reason: RevocationReason, uid: string, actor: string | null): boolean {
  const isOwn = (reason === 'logout' || reason === 'revoke_all') && uid === actor
  return isOwn || reason === 'stale' || reason === 'limit'
}

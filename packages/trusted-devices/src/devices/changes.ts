import { isQuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { createUuid } from '../uuid.ts'
import type { DeviceEvent, DraftEvent, Outcome, RevocationReason } from './device-event.ts'
import type { DeviceDatabase, UserTransaction } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** One change of a user's devices, inside its transaction. */
export interface Change extends UserTransaction {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Adds an event. Events are published in this order. */
  state(draft: DraftEvent): void
  /** States that deleted devices were revoked, and remembers them. */
  ended(
    records: readonly DeviceRecord[],
    reason: RevocationReason,
    actor: string | null,
  ): Promise<void>
}

/** Keeps events in the transaction that made them true, for delivery after a crash. */
export interface EventRecorder {
  record(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<void>
}

/** How {@link Changes} work. */
export interface ChangesOptions {
  readonly db: DeviceDatabase
  /** The outbox, or null. */
  readonly recorder: EventRecorder | null
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Called for events whose commit is unknown. Their signals are not sent. */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
}

/** Changes the devices of users. */
export class Changes {
  readonly #options: ChangesOptions

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  /**
   * Changes one user's devices in a transaction under the owner's lock. Records its events in the
   * same transaction.
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
        const now = clock() // After the lock, which may have taken its time.
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
 * Whether a device ended harmlessly, so that its browser may return without an alarm. A revoke-all
 * gets rid of an intruder, so it is harmless only for the device that asked.
 */
function isHarmlessEnd(reason: RevocationReason, uid: string, actor: string | null): boolean {
  const isOwn = (reason === 'logout' || reason === 'revoke_all') && uid === actor
  return isOwn || reason === 'stale' || reason === 'limit'
}

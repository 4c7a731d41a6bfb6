import { setTimeout as sleep } from 'node:timers/promises'
import { isQuillgateError, withTimeout } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { CreateUuid } from '../uuid.ts'
import type { DeviceCache } from './device-cache.ts'
import type { DeviceEvent, DraftEvent, Outcome, RevocationReason } from './device-event.ts'
import type { DeviceDatabase, UserTransaction } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** One change of a user's devices, inside its transaction. */
export interface Change extends UserTransaction {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Creates the uid of a new device. */
  createUid(): string
  /** Adds an event. Events are published in this order. */
  state(draft: DraftEvent): void
  /** States that deleted devices were revoked, and remembers them. */
  ended(
    records: readonly DeviceRecord[],
    reason: RevocationReason,
    actor: string | null,
  ): Promise<void>
  /** Removes a device from the caches that was changed without an event. */
  changed(uid: string): void
}

/** Keeps events in the transaction that made them true, for delivery after a crash. */
export interface EventRecorder {
  record(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<void>
  /** Returns whether kept events were committed; null if none of them is kept. */
  isRecorded(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<boolean | null>
}

/** How {@link Changes} work. */
export interface ChangesOptions {
  readonly db: DeviceDatabase
  readonly cache: DeviceCache
  /** Names changed devices to the other nodes, which must read them again. Never fails. */
  readonly onChanged: (uids: readonly string[]) => void
  /** The outbox, or null. */
  readonly recorder: EventRecorder | null
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly createUuid: CreateUuid
  /** Called for events whose commit is unknown. Their signals are not sent. */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
}

type Work<Result> = (change: Change) => Promise<Result>

/** The result of a change before its commit. */
interface Made<Result> extends Outcome<Result> {
  /** The devices that caches must read again. */
  readonly changed: readonly string[]
}

const PAUSES = [0, 250, 1500] // Milliseconds before each attempt to find out about a commit.
const PATIENCE = 3 // Seconds of one attempt.

/** Changes the devices of users. */
export class Changes {
  readonly #options: ChangesOptions

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  /**
   * Changes one user's devices in a transaction under the owner's lock. Records its events in the
   * same transaction. After the commit, removes the changed devices from the caches of all nodes.
   * If the connection breaks during the commit, finds out whether it was made.
   *
   * @param options.registers true for a change that may register the user's first device
   * @throws QuillgateError `commit_unknown` if the commit was not made, or if that cannot be found
   * out
   */
  async run<Result>(
    userId: string,
    work: Work<Result>,
    { registers = false }: { readonly registers?: boolean } = {},
  ): Promise<Outcome<Result>> {
    const { db, clock, recorder, onLost } = this.#options
    // The transaction runs again after a deadlock. Its last attempt counts, also if the commit
    // fails.
    const attempts: Made<Result>[] = []
    try {
      await db.forUser(userId, clock(), registers, async (transaction) => {
        attempts.push(await this.#make(transaction, userId, work))
      })
    } catch (error) {
      const last = attempts.at(-1)
      if (!last || !isInDoubt(error)) throw error
      this.#forget(last)
      const isMade = last.events.length > 0 && (await this.#findCommit(userId, last.events))
      if (isMade === null && !recorder) onLost(last.events, error)
      if (!isMade) throw error
    }
    const made = attempts.at(-1)
    if (!made) throw new Error('The transaction ended without a result.')
    this.#forget(made)
    return { result: made.result, events: made.events }
  }

  async #make<Result>(
    transaction: UserTransaction,
    userId: string,
    work: Work<Result>,
  ): Promise<Made<Result>> {
    const { recorder, clock, createUuid } = this.#options
    const { tx, revoked } = transaction
    const now = clock() // After the lock, which may have taken its time.
    const events: DeviceEvent[] = []
    const uids = new Set<string>()
    const state = (draft: DraftEvent): void => {
      events.push({ ...draft, userId, eventId: createUuid(now), at: new Date(now) })
    }
    const result = await work({
      ...{ ...transaction, now, state, createUid: () => createUuid(now) },
      async ended(records, reason, actor) {
        for (const { device, sessionId } of records)
          state({ kind: 'revoked', device, reason, actor, sessionId })
        const ended = records.map((record) => ({
          record,
          mayReturn: isHarmlessEnd(reason, record.device.uid, actor),
        }))
        await revoked.remember(ended, now)
      },
      changed: (uid) => void uids.add(uid),
    })
    await recorder?.record(tx, events)
    // A device that was just registered is in no cache.
    const gone = events.filter(({ kind }) => kind === 'revoked').map(({ device }) => device.uid)
    return { result, events, changed: [...new Set([...gone, ...uids])] }
  }

  #forget({ changed }: Made<unknown>): void {
    const { cache, onChanged } = this.#options
    for (const uid of changed) cache.forget(uid)
    onChanged(changed)
  }

  /**
   * Finds out on another connection whether events were committed. If another request revoked the
   * device meanwhile, its signal may be sent twice.
   *
   * @returns null if the database does not answer
   */
  async #findCommit(userId: string, events: readonly DeviceEvent[]): Promise<boolean | null> {
    for (const pause of PAUSES) {
      await sleep(pause)
      const found = this.#isCommitted(userId, events).catch(() => null) // The next attempt may succeed.
      const answer = await withTimeout(PATIENCE, found, () => null)
      if (answer !== null) return answer
    }
    return null
  }

  /**
   * Runs under the owner's lock, so that a commit under way has ended. One event is enough: they
   * were committed together.
   */
  #isCommitted(userId: string, events: readonly DeviceEvent[]): Promise<boolean> {
    const { db, clock, recorder } = this.#options
    return db.forUser(userId, clock(), false, async ({ tx, devices }) => {
      const recorded = (await recorder?.isRecorded(tx, events)) ?? null
      if (recorded !== null) return recorded
      const witness = events.find(({ kind }) => kind === 'created' || kind === 'revoked')
      // A reused secret was presented, whatever was committed.
      if (!witness) return true
      const isThere = (await devices.find(witness.device.uid)) !== null
      return isThere === (witness.kind === 'created')
    })
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

/** True if the connection broke during the commit, which may or may not have been made. */
function isInDoubt(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'commit_unknown'
}

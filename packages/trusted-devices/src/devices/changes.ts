import { setTimeout as sleep } from 'node:timers/promises'
import { isQuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { CreateUuid } from '../uuid.ts'
import type { DeviceCache } from './device-cache.ts'
import type { DeviceEvent, DraftEvent, Outcome, RevocationReason } from './device-event.ts'
import type { DeviceDatabase } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { DeviceTable } from './tables/device-table.ts'
import type { RevokedDevices } from './tables/revoked-devices.ts'

/** One change of a user's devices, inside its transaction. */
export interface Change {
  readonly tx: SqlExecutor
  /** Milliseconds since the epoch. */
  readonly now: number
  /** True if the user never had a device. */
  readonly isNewUser: boolean
  /** Adds an event. Events are published in this order. */
  state(draft: DraftEvent): void
  /** States that devices were revoked, and remembers them. */
  revoked(
    records: readonly DeviceRecord[],
    reason: RevocationReason,
    actor: string | null,
  ): Promise<void>
  /** Removes a device from the cache that was changed without an event. */
  changed(uid: string): void
}

/** Changes the devices of users. */
export interface Changes {
  /**
   * Changes one user's devices in a transaction under the owner's lock. Records its events in the
   * same transaction. After the commit, removes the changed devices from the caches of all nodes.
   * If the connection breaks during the commit, finds out whether it was made.
   *
   * @param options.registers true for a change that may make the user's first device. Other changes
   * leave no row of the lock behind.
   * @throws QuillgateError `commit_unknown` if the commit was not made, or if that cannot be found
   * out
   */
  run<Result>(
    userId: string,
    work: (change: Change) => Promise<Result>,
    options?: { readonly registers?: boolean },
  ): Promise<Outcome<Result>>
}

/** Devices that changed, so that caches must read them again. */
export interface ChangedDevices {
  readonly userId: string
  readonly uids: readonly string[]
  /** Devices of `uids` that may belong to another user. */
  readonly others: readonly string[]
}

/** Tells other nodes which devices they must read again. */
export interface Announcer {
  /**
   * Makes the commit of this transaction send the message, if the database can.
   *
   * @returns false if it cannot: then call {@link Announcer.announce} after the commit
   */
  announceIn(tx: SqlExecutor, changed: ChangedDevices): Promise<boolean>
  /**
   * Sends the message now. Never fails: a node that does not get it reads again after
   * `deviceCacheTtl`.
   */
  announce(changed: ChangedDevices): void
}

/** Keeps events in the transaction that made them true, for delivery after a crash. */
export interface EventRecorder {
  record(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<void>
  /** Returns whether kept events were committed; null if none of them is kept. */
  isRecorded(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<boolean | null>
}

/** How {@link createChanges} works. */
export interface ChangesOptions {
  readonly db: Pick<DeviceDatabase, 'forUser' | 'forKnownUser'>
  readonly table: Pick<DeviceTable, 'find'>
  readonly revoked: Pick<RevokedDevices, 'remember'>
  readonly cache: Pick<DeviceCache, 'forget'>
  readonly announcer: Announcer
  /** The outbox, or null. */
  readonly recorder: EventRecorder | null
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly createUuid: CreateUuid
  /** Called for events whose commit is unknown. Their signals are not sent. */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
}

/** The result of a change before its commit. */
interface Made<Result> extends Outcome<Result> {
  readonly changed: ChangedDevices
  /** True if the commit itself tells other nodes. */
  readonly isAnnounced: boolean
}

/** Creates the changes of an instance. */
export function createChanges(options: ChangesOptions): Changes {
  const { cache, announcer, recorder, onLost } = options
  const forget = ({ changed, isAnnounced }: Made<unknown>): void => {
    for (const uid of changed.uids) cache.forget(uid)
    if (!isAnnounced && changed.uids.length > 0) announcer.announce(changed)
  }
  return {
    async run<Result>(
      userId: string,
      work: (change: Change) => Promise<Result>,
      { registers = false } = {},
    ) {
      const { db, clock } = options
      const inTransaction = registers ? db.forUser : db.forKnownUser
      // The transaction runs again after a deadlock. Its last attempt counts, also if the commit
      // fails.
      const attempts: Made<Result>[] = []
      try {
        await inTransaction(userId, clock(), async (tx, isNewUser) => {
          attempts.push(await makeChange(options, { tx, isNewUser }, userId, work))
        })
      } catch (error) {
        const last = attempts.at(-1)
        if (!last || !isInDoubt(error)) throw error
        forget(last)
        const { events } = last
        const isMade = events.length > 0 && (await findCommit(options, userId, events))
        if (isMade === null && !recorder) onLost(events, error)
        if (!isMade) throw error
      }
      const made = attempts.at(-1)
      if (!made) throw new Error('The transaction ended without a result.')
      forget(made)
      return { result: made.result, events: made.events }
    },
  }
}

async function makeChange<Result>(
  { revoked, recorder, announcer, clock, createUuid }: ChangesOptions,
  { tx, isNewUser }: Pick<Change, 'tx' | 'isNewUser'>,
  userId: string,
  work: (change: Change) => Promise<Result>,
): Promise<Made<Result>> {
  const now = clock() // After the lock, which may have taken its time.
  const events: DeviceEvent[] = []
  const uids = new Set<string>()
  const state = (draft: DraftEvent): void => {
    events.push({ ...draft, userId, eventId: createUuid(now), at: new Date(now) })
  }
  const result = await work({
    ...{ tx, now, isNewUser, state },
    async revoked(records, reason, actor) {
      for (const { device, sessionId } of records) {
        state({ kind: 'revoked', device, reason, actor, sessionId })
      }
      const ended = records.map((record) => ({
        record,
        mayReturn: isHarmlessEnd(reason, record.device.uid, actor),
      }))
      await revoked.remember(tx, ended, now)
    },
    changed: (uid) => void uids.add(uid),
  })
  await recorder?.record(tx, events)
  // A device that was just registered is in no cache.
  const gone = events.filter(({ kind }) => kind === 'revoked').map(({ device }) => device.uid)
  const changed = { userId, uids: [...new Set([...gone, ...uids])], others: [...uids] }
  const isAnnounced = changed.uids.length > 0 && (await announcer.announceIn(tx, changed))
  return { result, events, changed, isAnnounced }
}

/**
 * Whether a device ended harmlessly, so that its browser may return without an alarm. A revoke-all
 * gets rid of an intruder, so it is harmless for the device that asked only.
 */
function isHarmlessEnd(reason: RevocationReason, uid: string, actor: string | null): boolean {
  const isOwn = (reason === 'logout' || reason === 'revoke_all') && uid === actor
  return isOwn || reason === 'stale' || reason === 'limit'
}

/** True if the connection broke during the commit, which may or may not have been made. */
function isInDoubt(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'commit_unknown'
}

const PAUSES = [0, 250, 1500] // Milliseconds before each attempt.
const PATIENCE = 3000 // Milliseconds of one attempt.

/**
 * Finds out on another connection whether events were committed. If another request revoked the
 * device meanwhile, its signal may be sent twice.
 *
 * @returns null if the database does not answer
 */
async function findCommit(
  options: ChangesOptions,
  userId: string,
  events: readonly DeviceEvent[],
): Promise<boolean | null> {
  for (const pause of PAUSES) {
    await sleep(pause)
    const found = isCommitted(options, userId, events).catch(() => null) // The next attempt may succeed.
    const answer = await Promise.race([found, sleep(PATIENCE, null, { ref: false })])
    if (answer !== null) return answer
  }
  return null
}

/**
 * Runs under the owner's lock, so that a commit under way has ended. One event is enough: they were
 * committed together.
 */
function isCommitted(
  { db, table, clock, recorder }: ChangesOptions,
  userId: string,
  events: readonly DeviceEvent[],
): Promise<boolean> {
  return db.forKnownUser(userId, clock(), async (tx) => {
    const recorded = (await recorder?.isRecorded(tx, events)) ?? null
    if (recorded !== null) return recorded
    const witness = events.find(({ kind }) => kind === 'created' || kind === 'revoked')
    // A reused secret was presented, whatever was committed.
    if (!witness) return true
    const isThere = (await table.find(tx, witness.device.uid)) !== null
    return isThere === (witness.kind === 'created')
  })
}

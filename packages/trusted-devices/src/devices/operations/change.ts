import { authenticationRequired, ConfigurationError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { deviceError } from '../../errors.ts'
import type { Outdated } from '../announcer.ts'
import type { DeviceFact, DraftFact, Outcome, RevocationReason } from '../facts.ts'
import type { RegistryParts } from '../registry-parts.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import { findWhetherHolds, isDoubtful } from './doubtful-commit.ts'

/** One change of a user's devices, seen from inside its transaction. */
export interface Change {
  readonly tx: SqlExecutor
  /** Milliseconds since the epoch. */
  readonly now: number
  /** States a fact; facts are told in this order. */
  state(draft: DraftFact): void
  /** States that devices were revoked, and remembers them. */
  revoked(
    records: readonly DeviceRecord[],
    reason: RevocationReason,
    actor: string | null,
  ): Promise<void>
  /** Makes the cache forget a device that was changed without a fact. */
  changed(uid: string): void
}

/**
 * Changes one user's devices: takes the owner's lock, runs `work`, records its facts in the same transaction, and after
 * the commit makes the cache forget every device that is concerned. When the connection breaks during the commit, it
 * looks whether the facts hold.
 *
 * @param options.registers true for a change that may make the user's first device: else no row of the lock is left behind
 * @throws QuillgateError `commit_unknown` when they do not, or when that cannot be told
 */
export async function changeDevices<Result>(
  parts: RegistryParts,
  userId: string,
  work: (change: Change) => Promise<Result>,
  { registers = false }: { readonly registers?: boolean } = {},
): Promise<Outcome<Result>> {
  const attempt: { made?: Made<Result> } = {}
  try {
    await makeChange(parts, userId, work, registers, attempt)
  } catch (error) {
    if (!attempt.made || !isDoubtful(error)) throw error
    forget(parts, attempt.made)
    const { facts } = attempt.made
    const isMade = facts.length > 0 && (await findWhetherHolds(parts, userId, facts))
    if (isMade === null && !parts.recordFacts) parts.onLostFacts(facts, error)
    if (!isMade) throw error
  }
  // It is there, for the transaction ended well.
  const { result, facts } = forget(parts, attempt.made as Made<Result>)
  return { result, facts }
}

/** What a change did, seen before its commit. */
interface Made<Result> extends Outcome<Result> {
  readonly outdated: Outdated
  /** True when the commit itself tells other nodes. */
  readonly isAnnounced: boolean
}

function forget<Result>({ cache, announcer }: RegistryParts, made: Made<Result>): Made<Result> {
  for (const uid of made.outdated.uids) cache.forget(uid)
  if (!made.isAnnounced && made.outdated.uids.length > 0) announcer.announce(made.outdated)
  return made
}

/** @param attempt gets what was done by the latest try, also when its commit fails */
function makeChange<Result>(
  { db, revoked, clock, createUuid, recordFacts, announcer }: RegistryParts,
  userId: string,
  work: (change: Change) => Promise<Result>,
  registers: boolean,
  attempt: { made?: Made<Result> },
): Promise<void> {
  const run = registers ? db.forUser : db.forKnownUser
  return run(userId, clock(), async (tx) => {
    const now = clock() // Read again: the lock may have taken its time.
    const facts: DeviceFact[] = []
    const changed = new Set<string>()
    const state = (draft: DraftFact): void => {
      facts.push({ ...draft, userId, eventId: createUuid(now), at: new Date(now) })
    }
    const result = await work({
      tx,
      now,
      state,
      async revoked(records, reason, actor) {
        for (const { device, sessionId } of records)
          state({ kind: 'revoked', device, reason, actor, sessionId })
        const ended = records.map((record) => ({
          record,
          mayReturn: isHarmlessEnd(reason, record.device.uid, actor),
        }))
        await revoked.remember(tx, ended, now)
      },
      changed: (uid) => void changed.add(uid),
    })
    await recordFacts?.(tx, facts)
    const outdated = outdatedBy(userId, facts, changed)
    const isAnnounced = outdated.uids.length > 0 && (await announcer.announceIn(tx, outdated))
    attempt.made = { result, facts, outdated, isAnnounced }
  })
}

/** A device that was only just registered is remembered by nobody. */
function outdatedBy(
  userId: string,
  facts: readonly DeviceFact[],
  changed: ReadonlySet<string>,
): Outdated {
  const revoked = facts.filter(({ kind }) => kind === 'revoked').map(({ device }) => device.uid)
  return { userId, uids: [...new Set([...revoked, ...changed])], others: [...changed] }
}

/**
 * Whether a device ended without anybody's distrust: its credential may then come back without an alarm. Others of the
 * user's are revoked with revoke-all to be rid of an intruder, so it counts for the device that asked only.
 */
function isHarmlessEnd(reason: RevocationReason, uid: string, actor: string | null): boolean {
  return (
    reason === 'stale' ||
    reason === 'limit' ||
    ((reason === 'logout' || reason === 'revoke_all') && uid === actor)
  )
}

/** Which device acts: the one that `authenticate` gave. */
export interface ActingDevice {
  readonly uid: string
  readonly userId: string
}

/** Checks the argument of a call that is an acting device. @throws ConfigurationError that names the call */
export function checkActing(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'uid' in value && 'userId' in value) return
  const problem = 'needs a device: that of login, or session.device of authenticate'
  throw new ConfigurationError(call, problem, value)
}

/** The acting device as it is now; it may have been revoked since the request was authenticated. */
export async function requireActing(
  { table }: RegistryParts,
  tx: SqlExecutor,
  acting: ActingDevice,
): Promise<DeviceRecord> {
  const record = await table.find(tx, acting.uid)
  if (record?.device.userId !== acting.userId) {
    throw authenticationRequired('This device was signed out. Sign in again.')
  }
  return record
}

/** A device of this user; another user's device does not exist for them. */
export async function requireOwn(
  { table }: RegistryParts,
  tx: SqlExecutor,
  userId: string,
  uid: string,
): Promise<DeviceRecord> {
  const record = await table.find(tx, uid)
  if (record?.device.userId !== userId)
    throw deviceError(
      'device_not_found',
      'You have no such device. Load the list of devices again.',
    )
  return record
}

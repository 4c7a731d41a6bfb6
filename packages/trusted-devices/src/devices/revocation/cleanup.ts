import type { DeviceEvent } from '../device-event.ts'
import type { Parts } from '../registry-parts.ts'
import { REVOKED_DEVICE_AGE } from '../tables/revoked-devices.ts'
import { publishSideBySide } from './side-by-side.ts'

/** The result of a cleanup, or of its dry run. */
export interface CleanupReport {
  readonly revoked: number
  /** Addresses that were too old: they became networks, or went. */
  readonly reducedAddresses: number
  /**
   * Devices that were last seen before this; null when `staleAfter` is null and no age was given.
   */
  readonly seenBefore: Date | null
  readonly dryRun: boolean
  /** Users whose devices could not be revoked; the others' were. */
  readonly failures: readonly CleanupFailure[]
}

/** A user at whom a cleanup failed. */
export interface CleanupFailure {
  readonly userId: string
  readonly error: unknown
}

const USERS_PER_READ = 500

/**
 * Revokes stale devices of all users, one transaction per user, and reduces addresses that are too
 * old.
 *
 * @param olderThan seconds
 * @param publish publishes the events of one user after the commit, and waits for the receivers
 */
export async function cleanUp(
  parts: Parts<'changes' | 'clock' | 'db' | 'personalData' | 'removal' | 'revoked' | 'table'>,
  olderThan: number | null,
  dryRun: boolean,
  publish: (events: readonly DeviceEvent[]) => Promise<void>,
): Promise<CleanupReport> {
  const { table, db, clock } = parts
  if (!dryRun) await parts.revoked.forget(db.executor, clock() - REVOKED_DEVICE_AGE)
  const reducedAddresses = await reduceAddresses(parts, dryRun)
  if (olderThan === null)
    return { revoked: 0, reducedAddresses, seenBefore: null, dryRun, failures: [] }
  const seenBefore = Math.floor(clock() - olderThan * 1000)
  if (dryRun) {
    const revoked = await table.countStale(db.executor, seenBefore)
    return { revoked, reducedAddresses, seenBefore: new Date(seenBefore), dryRun, failures: [] }
  }
  let revoked = 0
  const failures: CleanupFailure[] = []
  const change = async (userId: string): Promise<readonly DeviceEvent[]> => {
    try {
      const { result, events } = await revokeStale(parts, userId, seenBefore)
      revoked += result
      return events
    } catch (error) {
      failures.push({ userId, error })
      return []
    }
  }
  await publishSideBySide(staleOwners(parts, seenBefore), change, publish)
  return { revoked, reducedAddresses, seenBefore: new Date(seenBefore), dryRun, failures }
}

/** In every place that keeps any. A dry run counts. */
async function reduceAddresses(
  { personalData, db, clock }: Parts<'clock' | 'db' | 'personalData'>,
  dryRun: boolean,
): Promise<number> {
  let reduced = 0
  for (const place of personalData) {
    const work = dryRun ? place.countAddresses : place.reduceAddresses
    reduced += (await work?.call(place, db.executor, clock())) ?? 0
  }
  return reduced
}

/** The condition is part of the delete: a device that was used meanwhile stays. */
function revokeStale(parts: Parts<'changes' | 'removal'>, userId: string, seenBefore: number) {
  return parts.changes.run(userId, async (change) => {
    const removed = await parts.removal.stale(change.tx, userId, seenBefore)
    await change.revoked(removed, 'stale', null)
    return removed.length
  })
}

async function* staleOwners(
  { table, db }: Parts<'db' | 'table'>,
  seenBefore: number,
): AsyncGenerator<string> {
  let last = ''
  while (true) {
    const owners = await table.findStaleOwners(db.executor, seenBefore, last, USERS_PER_READ)
    yield* owners
    last = owners.at(-1) ?? ''
    if (owners.length < USERS_PER_READ) return
  }
}

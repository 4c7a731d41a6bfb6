import { expressionBuilder } from 'kysely'
import type { PersonalData } from '../../privacy/personal-data.ts'
import type { Changes } from '../changes.ts'
import type { EventOutlet } from '../registry.ts'
import type { DeviceDatabase } from '../tables/device-database.ts'
import { REVOKED_DEVICE_AGE } from '../tables/revoked-table.ts'
import type { DeviceRows } from '../tables/schema.ts'
import { type ManyRevoked, revokeWhere } from './revoke-where.ts'

/** The result of a cleanup, or of its dry run. */
export interface CleanupReport extends ManyRevoked {
  /** Addresses that were too old. They were shortened or removed. A dry run does not count them. */
  readonly reducedAddresses: number
  /**
   * Devices that were last seen before this; null when `staleAfter` is null and no age was given.
   */
  readonly seenBefore: Date | null
  readonly dryRun: boolean
}

/** How a cleanup runs. */
export interface CleanupOptions {
  /** Seconds; null revokes no device. */
  readonly olderThan: number | null
  readonly dryRun: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Revokes stale devices of all users, one transaction per user, and reduces addresses that are too
 * old. A dry run counts devices.
 */
export async function cleanUp(
  changes: Changes,
  db: DeviceDatabase,
  places: readonly PersonalData[],
  { olderThan, dryRun, now }: CleanupOptions,
  outlet: EventOutlet,
): Promise<CleanupReport> {
  let reducedAddresses = 0
  if (!dryRun) {
    await db.revoked.forget(now - REVOKED_DEVICE_AGE)
    for (const place of places)
      reducedAddresses += (await place.reduceAddresses?.(db.executor, now)) ?? 0
  }
  if (olderThan === null)
    return { revoked: 0, failures: [], reducedAddresses, seenBefore: null, dryRun }
  const before = Math.floor(now - olderThan * 1000)
  const stale = expressionBuilder<DeviceRows, 'device'>()('lastSeenAt', '<', before)
  const done = dryRun
    ? { revoked: await db.devices.count(stale), failures: [] }
    : await revokeWhere(changes, db, stale, 'stale', outlet)
  return { ...done, reducedAddresses, seenBefore: new Date(before), dryRun }
}

import type { SqlExecutor } from '@quillgate/server/database'
import type { Settings } from '../../settings.ts'
import type { RegistryParts } from '../registry-parts.ts'
import { affectedBy } from '../tables/device-database.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import type { DeviceChanges } from '../tables/device-table.ts'
import type { PastDevice } from '../tables/past-devices.ts'
import type { Recognition } from './arrival.ts'

/**
 * Whether the device that signs in is suspect: with `suspiciousDevicePermissions: 'none'` a stranger from a new country
 * or with a copied credential is, and so is a device that was, also after signing out and in from elsewhere.
 *
 * @param before the device that the credential names, living or past
 * @param isSuspicious whether this login is
 */
export function isSuspectLogin(
  { suspiciousDevicePermissions }: Settings,
  { kind }: Recognition,
  before: DeviceRecord | PastDevice | null,
  isSuspicious: boolean,
): boolean {
  if (before?.isSuspect) return true
  const isStranger = kind === 'new' || kind === 'distrusted' || kind === 'outdated'
  return (
    suspiciousDevicePermissions === 'none' && isStranger && (isSuspicious || kind === 'outdated')
  )
}

/** The rules for a login: with `suspiciousDevicePermissions: 'none'` a suspect device gets no right, and evicts nobody. */
export function settingsFor(settings: Settings, isSuspect: boolean): Settings {
  if (settings.suspiciousDevicePermissions === 'default' || !isSuspect) return settings
  return {
    ...settings,
    defaultCanDeleteOthers: false,
    defaultCanEditOthers: false,
    limitPolicy: 'refuse',
  }
}

/** Who gives a device a right vouches for it. A suspect device has none to give, to itself or to others. */
export function isVouchedFor({ canDeleteOthers, canEditOthers }: DeviceChanges): boolean {
  return canDeleteOthers === true || canEditOthers === true
}

/** Notes that a device, living or past, is its user's after all: its country counts from now on. */
export async function clearSuspicion(
  { db: { sql, tables } }: Pick<RegistryParts, 'db'>,
  tx: SqlExecutor,
  userId: string,
  uid: string,
): Promise<void> {
  for (const table of [tables.device, tables.past]) {
    await affectedBy(
      tx,
      sql`UPDATE ${table} SET is_suspect = ${false} WHERE uid = ${uid} AND user_id = ${userId}`,
    )
  }
}

import { confirmToken, noteLate, rotateToken, type TokenPolicy } from '../tokens/token-state.ts'
import type { Parts } from './registry-parts.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import { TrustedDevice } from './trusted-device.ts'

/** The device with this uid, fresh from the database. */
export function findDevice(
  { table, db }: Parts<'db' | 'table'>,
  uid: string,
): Promise<DeviceRecord | null> {
  return table.find(db.executor, uid)
}

/** The device with this uid, at most `deviceCacheTtl` old. */
export function findCachedDevice(
  parts: Parts<'cache' | 'db' | 'table'>,
  uid: string,
): Promise<DeviceRecord | null> {
  return parts.cache.get(uid, () => findDevice(parts, uid))
}

/**
 * Notes that a device was used, at most every minute or half of `refreshTokenLifetime`. Also notes
 * that its newest token and the device credential of its login arrived, at most once each.
 *
 * @param readAddress gives the client's address; called only when there is something to note
 * @param confirms whether the request carried the newest token, or what came with it
 * @returns the device as it is now; null when it was revoked meanwhile
 */
export async function useDevice(
  parts: Parts<'cache' | 'clock' | 'db' | 'settings' | 'table'>,
  record: DeviceRecord,
  readAddress: () => string | null,
  confirms: boolean,
): Promise<DeviceRecord | null> {
  const now = parts.clock()
  // Sessions live from the last use: it must be noted before they end.
  const { lastSeenInterval, refreshTokenLifetime } = parts.settings
  const interval = Math.min(lastSeenInterval, refreshTokenLifetime / 2) * 1000
  const isDue = now - record.device.lastSeenAt.getTime() >= interval
  const isNews =
    (confirms && record.token.confirmedAt === null) || record.credentialConfirmedAt === null
  if (!isDue && !isNews) return record
  const address = readAddress()
  const touched = await parts.table.touch(
    parts.db.executor,
    record.device.uid,
    { address, now },
    record.token,
    confirms,
  )
  if (!touched) {
    parts.cache.forget(record.device.uid)
    return null
  }
  const used = seen(
    { ...record, token: confirms ? confirmToken(record.token, now) : record.token },
    address,
    now,
  )
  parts.cache.update(record, used)
  return used
}

/**
 * Accepts the token before the newest one, which also counts as a use, and counts a late use.
 *
 * @returns the device as it is now; null if it was revoked meanwhile
 */
export async function useOlderToken(
  parts: Parts<'cache' | 'clock' | 'db' | 'settings' | 'table'>,
  record: DeviceRecord,
  address: string | null,
  policy: TokenPolicy,
): Promise<DeviceRecord | null> {
  const token = noteLate(record.token, parts.clock(), policy)
  if (token !== record.token) {
    await parts.table.updateLate(parts.db.executor, record.device.uid, token)
    parts.cache.forget(record.device.uid)
  }
  return useDevice(parts, { ...record, token }, () => address, false)
}

/**
 * Exchanges the newest token of a device for the next one, which also counts as a use.
 *
 * @returns the device as it is now; null when its token is no longer the one of `record`: look at
 * it again
 */
export async function rotateDeviceToken(
  parts: Parts<'cache' | 'clock' | 'db' | 'table'>,
  record: DeviceRecord,
  address: string | null,
): Promise<DeviceRecord | null> {
  const now = parts.clock()
  const token = rotateToken(record.token, now)
  const { uid } = record.device
  const rotated = await parts.table.rotateToken(parts.db.executor, uid, record.token, token, {
    address,
    now,
  })
  parts.cache.forget(uid)
  return rotated ? seen({ ...record, token }, address, now) : null
}

function seen(record: DeviceRecord, address: string | null, now: number): DeviceRecord {
  const device = new TrustedDevice({
    ...record.device,
    lastAddress: address,
    lastSeenAt: new Date(now),
  })
  return { ...record, device, credentialConfirmedAt: record.credentialConfirmedAt ?? now }
}

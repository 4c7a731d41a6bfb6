import { confirmToken, noteLate, rotateToken } from '../tokens/rotation-and-reuse.ts'
import type { RegistryParts } from './registry.ts'
import { type DeviceRecord, useColumns } from './tables/device-record.ts'
import { TrustedDevice } from './tables/trusted-device.ts'

// These functions change data with single statements, without the user's lock.

/**
 * Returns whether a session has ended because the last password entry is longer ago than
 * `maxSessionAge`. If no password was entered in an adopted session, the time counts from the
 * adoption.
 */
export function isTooOld(
  { settings: { maxSessionAge }, clock }: RegistryParts,
  { provedAt, device }: DeviceRecord,
): boolean {
  const since = provedAt ?? device.createdAt.getTime()
  return maxSessionAge !== null && clock() - since > maxSessionAge * 1000
}

/**
 * Stores a use of a device, at most once per interval. The interval is `lastSeenInterval` or half
 * of `refreshTokenLifetime`, whichever is shorter. The first use of the newest token or device
 * credential is always stored.
 *
 * @param readAddress returns the client's address. Called only if the use is stored.
 * @param confirms true if the request contains the newest token, or the access token that was
 * issued with the newest token
 * @returns the current device, or null if it was revoked in the meantime
 */
export async function useDevice(
  { db, settings, clock }: RegistryParts,
  record: DeviceRecord,
  readAddress: () => string | null,
  confirms: boolean,
): Promise<DeviceRecord | null> {
  const now = clock()
  // A session ends `refreshTokenLifetime` after its last stored use. A use must therefore be stored
  // before this time.
  const interval = Math.min(settings.lastSeenInterval, settings.refreshTokenLifetime / 2) * 1000
  const isDue = now - record.device.lastSeenAt.getTime() >= interval
  const isFirst =
    (confirms && record.token.confirmedAt === null) || record.credentialConfirmedAt === null
  if (!isDue && !isFirst) return record
  const address = readAddress()
  const columns = useColumns({ address, now }, record.token, confirms)
  if (!(await db.devices.update(record.device, columns))) return null
  const token = confirms ? confirmToken(record.token, now) : record.token
  return seen({ ...record, token }, address, now)
}

/**
 * Accepts the previous token. Stores a use of the device, and whether the token was used late.
 * Returns null if the device was revoked in the meantime.
 */
export async function useOlderToken(
  registry: RegistryParts,
  record: DeviceRecord,
  address: string | null,
): Promise<DeviceRecord | null> {
  const token = noteLate(record.token, registry.clock(), registry.policy)
  if (token !== record.token) await registry.db.devices.updateLate(record.device.uid, token)
  return useDevice(registry, { ...record, token }, () => address, false)
}

/**
 * Rotates the newest token of a device, and stores a use of the device. Returns null if another
 * request has rotated the token or revoked the device. The caller must then read the device again.
 */
export async function useNewestToken(
  { db, clock }: RegistryParts,
  record: DeviceRecord,
  address: string | null,
): Promise<DeviceRecord | null> {
  const now = clock()
  const token = rotateToken(record.token, now)
  const { uid } = record.device
  const isRotated = await db.devices.rotateToken(uid, record.token, token, { address, now })
  return isRotated ? seen({ ...record, token }, address, now) : null
}

function seen(record: DeviceRecord, address: string | null, now: number): DeviceRecord {
  const device = new TrustedDevice({
    ...record.device,
    lastAddress: address,
    lastSeenAt: new Date(now),
  })
  return { ...record, device, credentialConfirmedAt: record.credentialConfirmedAt ?? now }
}

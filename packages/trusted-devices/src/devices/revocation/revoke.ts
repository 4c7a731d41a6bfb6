import type { TokenPosition } from '../../tokens/rotation-and-reuse.ts'
import { requireActing, requireOwn } from '../acting-device.ts'
import type { Changes } from '../changes.ts'
import type { RevocationReason } from '../device-event.ts'
import { refuseDeletion } from '../permissions.ts'
import type { DeviceKey } from '../tables/device-record.ts'
import type { User } from '../users.ts'

/**
 * Revokes the devices of a user on behalf of the application. Keeps the device with the uid `keep`.
 * Browsers of devices that were already revoked are no longer recognized.
 */
export function revokeDevices(
  changes: Changes,
  userId: string,
  reason: RevocationReason,
  keep?: string,
): Promise<number> {
  return changes.apply(userId, null, async (change) => {
    const removed = await change.devices.removeAll(userId, keep)
    await change.revoked.distrust(userId)
    await change.recordRevoked(removed, reason, null)
    return removed.length
  })
}

/**
 * Revokes a device. `acting` is the device of the same user that requests the revocation. A device
 * may always revoke itself. The reason is then `logout`.
 */
export function revokeAs(
  changes: Changes,
  user: User,
  acting: DeviceKey,
  uid: string,
): Promise<void> {
  return changes.apply(acting.userId, user, async (change) => {
    const actor = await requireActing(change, acting)
    await requireOwn(change, { uid, userId: acting.userId })
    const isItself = uid === acting.uid
    const refusal = isItself ? null : refuseDeletion(actor, change)
    if (refusal) throw refusal
    const removed = await change.devices.remove(acting.userId, (eb) => eb('uid', '=', uid))
    await change.recordRevoked(removed, isItself ? 'logout' : 'api', acting.uid)
  })
}

/**
 * Revokes all devices of a user. `acting` is the device that requests the revocation. If this
 * device may revoke others, browsers of devices that were already revoked are no longer recognized.
 */
export function revokeAllAs(
  changes: Changes,
  user: User,
  acting: DeviceKey,
  keepCurrent: boolean,
): Promise<number> {
  const { uid, userId } = acting
  return changes.apply(userId, user, async (change) => {
    const refusal = refuseDeletion(await requireActing(change, acting), change)
    const others = await change.devices.summarize(userId, uid)
    // Without other devices, the request is only a logout, which needs no permission.
    if (refusal && others.count > 0) throw refusal
    const removed = await change.devices.removeAll(userId, keepCurrent ? uid : undefined)
    if (!refusal) await change.revoked.distrust(userId)
    await change.recordRevoked(removed, 'revoke_all', uid)
    return removed.length
  })
}

/** Revokes a device at its own request. Returns false if the device was already revoked. */
export function logOut(changes: Changes, { uid, userId }: DeviceKey): Promise<boolean> {
  return changes.apply(userId, null, async (change) => {
    const removed = await change.devices.remove(userId, (eb) => eb('uid', '=', uid))
    await change.recordRevoked(removed, 'logout', uid)
    return removed.length > 0
  })
}

/**
 * Revokes a device whose refresh token was used twice. If the device has signed in again since
 * then, keeps it.
 */
export function revokeReused(
  changes: Changes,
  { uid, userId }: DeviceKey,
  { generation, counter }: TokenPosition,
): Promise<void> {
  return changes.apply(userId, null, async (change) => {
    const removed = await change.devices.remove(userId, (eb) =>
      eb.and([
        eb('uid', '=', uid),
        eb('tokenGeneration', '=', generation),
        eb('tokenCounter', '>', counter),
      ]),
    )
    await change.recordRevoked(removed, 'compromised', uid)
    for (const { device } of removed)
      change.addEvent({ kind: 'compromised', device, reason: 'refresh_token_reused', actor: uid })
  })
}

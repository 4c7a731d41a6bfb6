import { expressionBuilder } from 'kysely'
import type { AllSettings } from '../../settings.ts'
import type { TokenPosition } from '../../tokens/rotation-and-reuse.ts'
import { type ActingDevice, requireActing, requireOwn } from '../acting-device.ts'
import type { Changes } from '../changes.ts'
import type { Outcome, RevocationReason } from '../device-event.ts'
import { refuseDeletion } from '../permissions.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import type { DeviceRows } from '../tables/schema.ts'

/**
 * Revokes one device of a user on behalf of the application. The result is false if it did not
 * exist. If it was already revoked, its browser can no longer return.
 */
export function revokeDevice(
  changes: Changes,
  userId: string,
  uid: string,
  reason: RevocationReason,
): Promise<Outcome<boolean>> {
  return changes.run(userId, async (change) => {
    const removed = await change.devices.removeOne({ uid, userId })
    if (removed.length === 0) {
      const eb = expressionBuilder<DeviceRows, 'deviceRevoked'>()
      await change.revoked.distrust(userId, eb('uid', '=', uid))
    }
    await change.ended(removed, reason, null)
    return removed.length > 0
  })
}

/**
 * Revokes all devices of a user on behalf of the application, except `keep`. Browsers of devices
 * that were already revoked can no longer return. The result is the number of revoked devices.
 */
export function revokeDevices(
  changes: Changes,
  userId: string,
  reason: RevocationReason,
  keep?: string,
): Promise<Outcome<number>> {
  return changes.run(userId, async (change) => {
    const removed = await change.devices.removeAll(userId, keep)
    await change.revoked.distrust(userId)
    await change.ended(removed, reason, null)
    return removed.length
  })
}

/**
 * Revokes a device on behalf of a device of the same user. A device may always revoke itself, which
 * counts as a logout.
 *
 * @throws QuillgateError 401 if the acting device was revoked, 404 `device_not_found`, and the
 * errors of {@link refuseDeletion}
 */
export function revokeAs(
  changes: Changes,
  settings: AllSettings,
  acting: ActingDevice,
  uid: string,
): Promise<Outcome<void>> {
  return changes.run(acting.userId, async (change) => {
    const actor = await requireActing(change, acting)
    const target = await requireOwn(change, acting.userId, uid)
    const isItself = target.device.uid === actor.device.uid
    const refusal = isItself ? null : refuseDeletion(actor, settings, change.now)
    if (refusal) throw refusal
    const removed = await change.devices.removeOne(target.device)
    await change.ended(removed, isItself ? 'logout' : 'api', actor.device.uid)
  })
}

/**
 * Revokes all devices of a user on behalf of one of them, which is kept if `keepCurrent` is true.
 * Browsers of devices that were already revoked can no longer return. The result is the number of
 * revoked devices.
 *
 * @throws QuillgateError 401 if the acting device was revoked, and the errors of
 * {@link refuseDeletion} if the user has other devices
 */
export function revokeAllAs(
  changes: Changes,
  settings: AllSettings,
  acting: ActingDevice,
  keepCurrent: boolean,
): Promise<Outcome<number>> {
  return changes.run(acting.userId, async (change) => {
    const actor = await requireActing(change, acting)
    const refusal = refuseDeletion(actor, settings, change.now)
    const others = await change.devices.summarize(acting.userId, actor.device.uid)
    if (refusal && others.count > 0) throw refusal // The only device may always sign out.
    const kept = keepCurrent ? actor.device.uid : undefined
    const removed = await change.devices.removeAll(acting.userId, kept)
    if (!refusal) await change.revoked.distrust(acting.userId)
    await change.ended(removed, 'revoke_all', actor.device.uid)
    return removed.length
  })
}

/** Revokes a device on its own behalf. The result is false if it was already revoked. */
export function logOut(changes: Changes, acting: ActingDevice): Promise<Outcome<boolean>> {
  return changes.run(acting.userId, async (change) => {
    const removed = await change.devices.removeOne(acting)
    await change.ended(removed, 'logout', acting.uid)
    return removed.length > 0
  })
}

/**
 * Revokes a device whose refresh token was used twice, unless the device has signed in again since.
 */
export function revokeReused(
  changes: Changes,
  { device }: DeviceRecord,
  reused: TokenPosition,
): Promise<Outcome<void>> {
  return changes.run(device.userId, async (change) => {
    const { generation, counter } = reused
    const removed = await change.devices.remove(device.userId, (eb) =>
      eb.and([
        eb('uid', '=', device.uid),
        eb('tokenGeneration', '=', generation),
        eb('tokenCounter', '>', counter),
      ]),
    )
    await change.ended(removed, 'compromised', device.uid)
    for (const record of removed) {
      change.state({
        kind: 'compromised',
        device: record.device,
        reason: 'refresh_token_reused',
        actor: device.uid,
      })
    }
  })
}

import { expressionBuilder } from 'kysely'
import type { TokenPosition } from '../../tokens/token-state.ts'
import { type ActingDevice, requireActing, requireOwn } from '../acting-device.ts'
import type { Outcome, RevocationReason } from '../device-event.ts'
import { mayDelete, requireMayDelete } from '../permissions.ts'
import type { Parts } from '../registry-parts.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import type { DeviceRows } from '../tables/schema.ts'

/**
 * The application revokes one device of a user. The result says whether there was one; one that is
 * gone already is trusted no more.
 */
export function revokeDevice(
  parts: Parts<'changes' | 'removal' | 'revoked'>,
  userId: string,
  uid: string,
  reason: RevocationReason,
): Promise<Outcome<boolean>> {
  return parts.changes.run(userId, async (change) => {
    const removed = await parts.removal.these(change.tx, userId, [uid])
    if (removed.length === 0) {
      const eb = expressionBuilder<DeviceRows, 'deviceRevoked'>()
      await parts.revoked.distrust(change.tx, userId, eb('uid', '=', uid))
    }
    await change.revoked(removed, reason, null)
    return removed.length > 0
  })
}

/**
 * The application revokes all devices of a user, but `keep`, and trusts none that is gone. The
 * result is their number.
 */
export function revokeDevices(
  parts: Parts<'changes' | 'removal' | 'revoked'>,
  userId: string,
  reason: RevocationReason,
  keep?: string,
): Promise<Outcome<number>> {
  return parts.changes.run(userId, async (change) => {
    const removed = await parts.removal.all(change.tx, userId, keep)
    await parts.revoked.distrust(change.tx, userId)
    await change.revoked(removed, reason, null)
    return removed.length
  })
}

/** The user is gone: revokes all devices and forgets that there was a user. */
export function removeUser(
  parts: Parts<'changes' | 'otherData' | 'removal' | 'revoked'>,
  userId: string,
): Promise<Outcome<number>> {
  return parts.changes.run(userId, async (change) => {
    const removed = await parts.removal.all(change.tx, userId)
    await change.revoked(removed, 'user_deleted', null)
    await parts.revoked.forgetUser(change.tx, userId)
    for (const place of parts.otherData) await place.erase(change.tx, userId)
    await parts.removal.owner(change.tx, userId)
    return removed.length
  })
}

/**
 * A device revokes a device of its user. Revoking itself is logging out, and always possible.
 *
 * @throws QuillgateError 401 when the acting device is gone, 404 `device_not_found`, and those of
 * `requireMayDelete`
 */
export function revokeAs(
  parts: Parts<'changes' | 'removal' | 'settings' | 'table'>,
  acting: ActingDevice,
  uid: string,
): Promise<Outcome<void>> {
  return parts.changes.run(acting.userId, async (change) => {
    const actor = await requireActing(parts.table, change.tx, acting)
    const target = await requireOwn(parts.table, change.tx, acting.userId, uid)
    const isItself = target.device.uid === actor.device.uid
    if (!isItself) requireMayDelete(actor, parts.settings, change.now)
    const removed = await parts.removal.these(change.tx, acting.userId, [uid])
    await change.revoked(removed, isItself ? 'logout' : 'api', actor.device.uid)
  })
}

/**
 * A device revokes all devices of its user, itself too unless `keepCurrent`, and no other one that
 * is gone is trusted any more. The result is their number.
 *
 * @throws QuillgateError 401 when the acting device is gone, and those of `requireMayDelete` when
 * there are others
 */
export function revokeAllAs(
  parts: Parts<'changes' | 'removal' | 'revoked' | 'settings' | 'table'>,
  acting: ActingDevice,
  keepCurrent: boolean,
): Promise<Outcome<number>> {
  return parts.changes.run(acting.userId, async (change) => {
    const actor = await requireActing(parts.table, change.tx, acting)
    const some = await parts.table.findPage(change.tx, acting.userId, { limit: 2, after: null })
    if (some.length > 1) requireMayDelete(actor, parts.settings, change.now)
    const removed = await parts.removal.all(
      change.tx,
      acting.userId,
      keepCurrent ? actor.device.uid : undefined,
    )
    // The only device may always sign out. If it may not revoke others, revoked devices may still
    // return.
    if (mayDelete(actor, parts.settings, change.now)) {
      await parts.revoked.distrust(change.tx, acting.userId)
    }
    await change.revoked(removed, 'revoke_all', actor.device.uid)
    return removed.length
  })
}

/** A device signs out. The result says whether it was still there. */
export function logOut(
  parts: Parts<'changes' | 'removal'>,
  acting: ActingDevice,
): Promise<Outcome<boolean>> {
  return parts.changes.run(acting.userId, async (change) => {
    const removed = await parts.removal.these(change.tx, acting.userId, [acting.uid])
    await change.revoked(removed, 'logout', acting.uid)
    return removed.length > 0
  })
}

/** A refresh token was used twice: revokes its device, unless it signed in again meanwhile. */
export function revokeReplayed(
  parts: Parts<'changes' | 'removal'>,
  { device }: DeviceRecord,
  replayed: TokenPosition,
): Promise<Outcome<void>> {
  return parts.changes.run(device.userId, async (change) => {
    const removed = await parts.removal.replayed(change.tx, device.uid, replayed)
    await change.revoked(removed, 'compromised', device.uid)
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

import { type ActingDevice, requireActing, requireOwn } from './acting-device.ts'
import type { Outcome } from './device-event.ts'
import { requireMayEdit } from './permissions.ts'
import type { Parts } from './registry-parts.ts'
import type { DeviceChanges } from './tables/device-table.ts'
import { TrustedDevice } from './trusted-device.ts'

/**
 * A device edits a device of its user. Only the given members are written; nothing else of the row
 * moves.
 *
 * @throws QuillgateError 401 when the acting device is gone, 404 `device_not_found`, and those of
 * `requireMayEdit`
 */
export function editAs(
  parts: Parts<'changes' | 'settings' | 'table'>,
  acting: ActingDevice,
  uid: string,
  changes: DeviceChanges,
): Promise<Outcome<TrustedDevice>> {
  return parts.changes.run(acting.userId, async (change) => {
    const actor = await requireActing(parts.table, change.tx, acting)
    const target = await requireOwn(parts.table, change.tx, acting.userId, uid)
    requireMayEdit(actor, target, changes, parts.settings, change.now)
    if (Object.values(changes).every((value) => value === undefined)) return target.device
    await parts.table.updateMembers(change.tx, uid, changes)
    change.changed(uid)
    return new TrustedDevice({ ...target.device, ...changes })
  })
}

/**
 * Edits a device of a user for the application, without checking permissions. The result is null if
 * it does not exist.
 */
export function editDevice(
  parts: Parts<'changes' | 'table'>,
  userId: string,
  uid: string,
  changes: DeviceChanges,
): Promise<Outcome<TrustedDevice | null>> {
  return parts.changes.run(userId, async (change) => {
    const record = await parts.table.find(change.tx, uid)
    if (record?.device.userId !== userId) return null
    await parts.table.updateMembers(change.tx, uid, changes)
    change.changed(uid)
    return new TrustedDevice({ ...record.device, ...changes })
  })
}

/**
 * Stores that the user's password was just entered on a device. The result says whether the device
 * still exists.
 */
export async function proveDevice(
  parts: Parts<'cache' | 'clock' | 'db' | 'table'>,
  { uid }: ActingDevice,
): Promise<boolean> {
  const proved = await parts.table.updateProof(parts.db.executor, uid, parts.clock())
  parts.cache.forget(uid)
  return proved
}

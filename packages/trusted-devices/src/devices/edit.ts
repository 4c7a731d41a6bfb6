import { invalidRequest } from '@quillgate/server/core'
import { parseProperties } from '@quillgate/server/http'
import { requireActing, requireOwn } from './acting-device.ts'
import type { Change, Changes } from './changes.ts'
import { type DeviceChanges, requireMayEdit } from './permissions.ts'
import type { DeviceKey, DeviceRecord } from './tables/device-record.ts'
import { TrustedDevice } from './tables/trusted-device.ts'

/** The rules for the properties that can be changed. */
export const CHANGE_RULES = {
  name: { type: 'line', optional: true, max: 255, description: 'Trimmed; may be empty' },
  canDeleteOthers: { type: 'boolean', optional: true },
  canEditOthers: { type: 'boolean', optional: true },
} as const

/** Edits a device. `acting` is the device of the same user that requests the change. */
export function editAs(
  changes: Changes,
  acting: DeviceKey,
  uid: string,
  edits: DeviceChanges,
): Promise<TrustedDevice> {
  return changes.apply(acting.userId, null, async (change) => {
    const actor = await requireActing(change, acting)
    const target = await requireOwn(change, { uid, userId: acting.userId })
    requireMayEdit(actor, target, edits, change)
    return edit(change, target, edits)
  })
}

/** Edits a device without checking permissions. */
export async function edit(
  { devices }: Change,
  { device }: DeviceRecord,
  edits: DeviceChanges,
): Promise<TrustedDevice> {
  const { name, canDeleteOthers, canEditOthers } = edits
  // Also sets the uid to its current value, because an UPDATE needs at least one column.
  await devices.update(device, { uid: device.uid, name, canDeleteOthers, canEditOthers })
  return new TrustedDevice({
    ...device,
    name: name ?? device.name,
    canDeleteOthers: canDeleteOthers ?? device.canDeleteOthers,
    canEditOthers: canEditOthers ?? device.canEditOthers,
  })
}

/**
 * Forgets the second factor on a device. `acting` is the device of the same user that requests the
 * change.
 */
export function forgetSecondFactorAs(
  changes: Changes,
  acting: DeviceKey,
  uid: string,
): Promise<number> {
  return changes.apply(acting.userId, null, async (change) => {
    const actor = await requireActing(change, acting)
    const target = await requireOwn(change, { uid, userId: acting.userId })
    if (uid !== acting.uid) requireMayEdit(actor, target, {}, change)
    return change.devices.clearSecondFactor(acting.userId, uid)
  })
}

/**
 * Checks changes that application code passes. Rejects unknown properties, because they are
 * mistakes in the code.
 */
export function parseDeviceChanges(value: object): DeviceChanges {
  const changes = parseProperties(value, CHANGE_RULES)
  const errors = Object.keys(value)
    .filter((field) => !Object.hasOwn(CHANGE_RULES, field))
    .map((field) => ({ field, message: 'Is not a known property.' }))
  if (errors.length > 0)
    throw invalidRequest('Correct the fields that are listed in errors.', errors)
  return changes
}

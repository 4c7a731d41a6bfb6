import { invalidRequest } from '@quillgate/server/core'
import { parseProperties } from '@quillgate/server/http'
import type { AllSettings } from '../settings.ts'
import { type ActingDevice, requireActing, requireOwn } from './acting-device.ts'
import type { Change, Changes } from './changes.ts'
import type { Outcome } from './device-event.ts'
import { requireMayEdit } from './permissions.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { DeviceChanges } from './tables/device-table.ts'
import { TrustedDevice } from './trusted-device.ts'

/**
 * The rules for the properties that can be changed. A name is trimmed, may be empty, and has no
 * control characters.
 */
export const CHANGE_RULES = {
  name: { type: 'line', optional: true, max: 255, description: 'Trimmed; may be empty' },
  canDeleteOthers: { type: 'boolean', optional: true },
  canEditOthers: { type: 'boolean', optional: true },
} as const

/**
 * Edits a device on behalf of a device of the same user.
 *
 * @throws QuillgateError 401 if the acting device was revoked, 404 `device_not_found`, and those of
 * {@link requireMayEdit}
 */
export function editAs(
  changes: Changes,
  settings: AllSettings,
  acting: ActingDevice,
  uid: string,
  edits: DeviceChanges,
): Promise<Outcome<TrustedDevice>> {
  return changes.run(acting.userId, async (change) => {
    const actor = await requireActing(change, acting)
    const target = await requireOwn(change, acting.userId, uid)
    requireMayEdit(actor, target, edits, settings, change.now)
    return edit(change, target, edits)
  })
}

/**
 * Edits a device of a user on behalf of the application, without checking permissions. The result
 * is null if the device does not exist.
 */
export function editDevice(
  changes: Changes,
  userId: string,
  uid: string,
  edits: DeviceChanges,
): Promise<Outcome<TrustedDevice | null>> {
  return changes.run(userId, async (change) => {
    const record = await change.devices.find(uid)
    return record?.device.userId === userId ? edit(change, record, edits) : null
  })
}

async function edit(
  { devices }: Change,
  { device }: DeviceRecord,
  edits: DeviceChanges,
): Promise<TrustedDevice> {
  const { name, canDeleteOthers, canEditOthers } = edits
  // Sets the uid to its current value, because an UPDATE without other changes still needs a
  // column.
  await devices.update(device, { uid: device.uid, name, canDeleteOthers, canEditOthers })
  return new TrustedDevice({
    ...device,
    name: name ?? device.name,
    canDeleteOthers: canDeleteOthers ?? device.canDeleteOthers,
    canEditOthers: canEditOthers ?? device.canEditOthers,
  })
}

/**
 * Forgets the second factor on one device of a user, or on all of them, on behalf of the
 * application. The result is the number of devices on which it was remembered.
 *
 * @param uid the device, or null for all devices
 */
export function forgetSecondFactor(
  changes: Changes,
  userId: string,
  uid: string | null,
): Promise<Outcome<number>> {
  return changes.run(userId, ({ devices }) => devices.clearSecondFactor(userId, uid))
}

/**
 * Forgets the second factor on a device on behalf of a device of the same user. A device may always
 * forget its own.
 *
 * @throws QuillgateError with the same codes as {@link editAs}
 */
export function forgetSecondFactorAs(
  changes: Changes,
  settings: AllSettings,
  acting: ActingDevice,
  uid: string,
): Promise<Outcome<number>> {
  return changes.run(acting.userId, async (change) => {
    const actor = await requireActing(change, acting)
    const target = await requireOwn(change, acting.userId, uid)
    if (target.device.uid !== actor.device.uid)
      requireMayEdit(actor, target, {}, settings, change.now)
    return change.devices.clearSecondFactor(acting.userId, uid)
  })
}

/**
 * Checks changes that application code passes. Missing and undefined properties are not changed.
 * Unlike in the body of a request, an unknown property is rejected, because it is a mistake in the
 * code.
 *
 * @throws QuillgateError 400 `invalid_request` that names each invalid or unknown property
 */
export function parseDeviceChanges(value: object): DeviceChanges {
  const changes = parseProperties(value, CHANGE_RULES)
  const errors = Object.keys(value)
    .filter((field) => !Object.hasOwn(CHANGE_RULES, field))
    .map((field) => ({ field, message: 'Is not a member.' }))
  if (errors.length > 0)
    throw invalidRequest('Correct the members that are listed in errors.', errors)
  return changes
}

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
 * The properties that may be changed. A name is trimmed, may be empty, and has no control
 * characters.
 */
export const CHANGE_RULES = {
  name: { type: 'line', optional: true, max: 255, description: 'Trimmed; may be empty' },
  canDeleteOthers: { type: 'boolean', optional: true },
  canEditOthers: { type: 'boolean', optional: true },
} as const

/**
 * Edits a device for another device of its user.
 *
 * @throws QuillgateError 401 if the acting device is gone, 404 `device_not_found`, and those of
 * `requireMayEdit`
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
 * Edits a device of a user for the application, without checking permissions. The result is null if
 * it does not exist.
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
  // Without changes it writes the key, because an UPDATE needs a column.
  await devices.update(device, { uid: device.uid, name, canDeleteOthers, canEditOthers })
  return new TrustedDevice({
    ...device,
    name: name ?? device.name,
    canDeleteOthers: canDeleteOthers ?? device.canDeleteOthers,
    canEditOthers: canEditOthers ?? device.canEditOthers,
  })
}

/**
 * Forgets the second factor on one device of a user, or on all of them, for the application. The
 * result is the number of devices on which it was remembered.
 *
 * @param uid null: all
 */
export function forgetSecondFactor(
  changes: Changes,
  userId: string,
  uid: string | null,
): Promise<Outcome<number>> {
  return changes.run(userId, ({ devices }) => devices.clearSecondFactor(userId, uid))
}

/**
 * Forgets the second factor on a device for another device of its user. On itself it always may.
 *
 * @throws QuillgateError as {@link editAs}
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
 * Checks the changes that the application's code gives; absent and undefined members stay as they
 * are. Unlike in the body of a request, an unknown member is an error: it is a mistake in the code.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member
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

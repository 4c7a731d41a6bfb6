import { checks, type Input, optional, type QuillgateError } from '@quillgate/server/core'
import { deviceError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { Change } from './changes.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { TrustedDevice } from './tables/trusted-device.ts'

/** The properties that a user may change. A missing property is not changed. */
export interface DeviceChanges {
  readonly name?: string | undefined
  readonly canDeleteOthers?: boolean | undefined
  readonly canEditOthers?: boolean | undefined
}

/**
 * Returns the error if a device may not revoke other devices of its user, or null if it may. The
 * error is 403 `device_deletion_disabled`, `device_lacks_delete_permission`,
 * `device_session_too_recent` or `step_up_required`. The rules depend only on the acting device. A
 * rule about the target could protect an intruder's new device from the user.
 */
export function refuseDeletion(
  acting: DeviceRecord,
  { settings, now }: Pick<Change, 'settings' | 'now'>,
): QuillgateError | null {
  return settings.allowGlobalDelete
    ? refuseTrust(acting, powerTo('canDeleteOthers', settings), now)
    : deviceError('device_deletion_disabled', 'Revoking other devices is switched off.')
}

/**
 * Checks whether the acting device may make these changes to a device of its user. If editing is
 * switched on, a device may rename itself. It may give up its permissions, but not grant
 * permissions that it does not have. To change the permissions of another device, it must also be
 * allowed to revoke other devices. Otherwise, the new device of an intruder could take away the
 * permission of older devices to revoke it.
 *
 * @throws QuillgateError 403 `device_editing_disabled`, `device_lacks_edit_permission`,
 * `device_session_too_recent`, `step_up_required`, `device_permission_escalation`,
 * `device_lacks_delete_permission`
 */
export function requireMayEdit(
  acting: DeviceRecord,
  target: DeviceRecord,
  edits: DeviceChanges,
  { settings, now }: Pick<Change, 'settings' | 'now'>,
): void {
  if (!settings.allowGlobalEdit)
    throw deviceError('device_editing_disabled', 'Editing devices is switched off.')
  const isOther = acting.device.uid !== target.device.uid
  if (isOther) requireTrust(acting, powerTo('canEditOthers', settings), now)
  const { canDeleteOthers, canEditOthers } = edits
  const isEscalation =
    (canDeleteOthers && !acting.device.canDeleteOthers) ||
    (canEditOthers && !acting.device.canEditOthers)
  if (isEscalation) {
    const detail =
      'This device cannot give a permission that it does not have. Use a device that has it.'
    throw deviceError('device_permission_escalation', detail)
  }
  if (isOther && changesPermissions(target.device, edits))
    requireTrust(acting, powerTo('canDeleteOthers', settings), now)
}

/**
 * The schema of {@link TrustRequirements}. An unknown requirement is an error. If it were ignored,
 * a misspelt requirement would let all requests through.
 */
export const REQUIREMENTS = {
  /** The minimum number of seconds since the device was registered. */
  minAge: optional(checks.seconds()),
  /** The maximum number of seconds since the user's password was last entered on the device. */
  maxProofAge: optional(checks.seconds()),
  /** The permissions that the device must have. */
  permissions: optional(checks.listOf(checks.oneOf(['canDeleteOthers', 'canEditOthers']))),
}

/** The requirements for a device. Missing properties require nothing. */
export type TrustRequirements = Input<typeof REQUIREMENTS>

/** Throws a 403 error if the acting device does not meet the requirements. */
export function requireTrust(acting: DeviceRecord, trust: TrustRequirements, now: number): void {
  const refusal = refuseTrust(acting, trust, now)
  if (refusal) throw refusal
}

function refuseTrust(
  { device, provedAt }: DeviceRecord,
  { minAge = 0, maxProofAge, permissions = [] }: TrustRequirements,
  now: number,
): QuillgateError | null {
  if (permissions.includes('canDeleteOthers') && !device.canDeleteOthers)
    return deviceError(
      'device_lacks_delete_permission',
      'This device is not allowed to revoke other devices or to change their permissions. Use another device.',
    )
  if (permissions.includes('canEditOthers') && !device.canEditOthers)
    return deviceError(
      'device_lacks_edit_permission',
      'This device is not allowed to edit other devices. Use another device.',
    )
  if (now - device.createdAt.getTime() < minAge * 1000) {
    const detail = `This device is too new for this request. Use an older device, or wait until this one is ${minAge} s old.`
    return deviceError('device_session_too_recent', detail)
  }
  const isProved = provedAt !== null && now - provedAt <= (maxProofAge ?? 0) * 1000
  return maxProofAge === undefined || isProved
    ? null
    : deviceError('step_up_required', 'Enter your password again first.')
}

/** Returns the requirements for editing or revoking another device. */
function powerTo(
  permission: 'canDeleteOthers' | 'canEditOthers',
  settings: Settings,
): TrustRequirements {
  const { deleteDelay, editDelay, stepUpAge } = settings
  const minAge = permission === 'canDeleteOthers' ? deleteDelay : editDelay
  return { minAge, maxProofAge: stepUpAge ?? undefined, permissions: [permission] }
}

function changesPermissions(
  device: TrustedDevice,
  { canDeleteOthers = device.canDeleteOthers, canEditOthers = device.canEditOthers }: DeviceChanges,
): boolean {
  return canDeleteOthers !== device.canDeleteOthers || canEditOthers !== device.canEditOthers
}

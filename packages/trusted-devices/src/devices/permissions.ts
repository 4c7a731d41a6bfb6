import { isQuillgateError, type QuillgateError } from '@quillgate/server/core'
import { deviceError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { DeviceChanges } from './tables/device-table.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** The settings that permissions depend on. */
export type PermissionSettings = Pick<
  Settings,
  'deleteDelay' | 'editDelay' | 'allowGlobalDelete' | 'allowGlobalEdit' | 'stepUpAge'
>

/**
 * Whether a device may revoke other devices of its user. Only the acting device is looked at: a
 * rule about the target would protect an intruder's fresh device from its owner.
 *
 * @param now milliseconds since the epoch
 * @throws QuillgateError 403 `device_deletion_disabled`, `device_lacks_delete_permission`,
 * `device_session_too_recent`, `step_up_required`, in this order
 */
export function requireMayDelete(
  acting: DeviceRecord,
  settings: PermissionSettings,
  now: number,
): void {
  if (!settings.allowGlobalDelete) {
    throw deviceError('device_deletion_disabled', 'Revoking other devices is switched off.')
  }
  requirePower(acting, settings, now)
}

/** Returns whether {@link requireMayDelete} passes. @param now milliseconds since the epoch */
export function mayDelete(
  acting: DeviceRecord,
  settings: PermissionSettings,
  now: number,
): boolean {
  try {
    requireMayDelete(acting, settings, now)
    return true
  } catch (error) {
    if (isQuillgateError(error)) return false
    throw error
  }
}

/**
 * Whether a device may make these changes to a device of its user. It may always rename itself,
 * unless editing is switched off, and it may give rights up, but it cannot give what it does not
 * have. To change the rights of another device it must also be one that may revoke it, or a device
 * too new to revoke could disarm those that can.
 *
 * @param now milliseconds since the epoch
 * @throws QuillgateError 403 `device_editing_disabled`, `device_lacks_edit_permission`,
 * `device_session_too_recent`, `step_up_required`, `device_permission_escalation`,
 * `device_lacks_delete_permission`, in this order
 */
export function requireMayEdit(
  acting: DeviceRecord,
  target: DeviceRecord,
  changes: DeviceChanges,
  settings: PermissionSettings,
  now: number,
): void {
  if (!settings.allowGlobalEdit) {
    throw deviceError('device_editing_disabled', 'Editing devices is switched off.')
  }
  if (acting.device.uid !== target.device.uid) {
    if (!acting.device.canEditOthers) throw lacksEdit()
    requireAge(acting, settings.editDelay, now)
    requireProof(acting, settings.stepUpAge, now)
  }
  const { canDeleteOthers, canEditOthers } = changes
  if (
    (canDeleteOthers && !acting.device.canDeleteOthers) ||
    (canEditOthers && !acting.device.canEditOthers)
  ) {
    throw deviceError(
      'device_permission_escalation',
      'This device cannot give a permission that it does not have.',
    )
  }
  if (acting.device.uid !== target.device.uid && changesRights(target.device, changes)) {
    requirePower(acting, settings, now)
  }
}

/**
 * Whether a device is what a route of the application asks for.
 *
 * @param now milliseconds since the epoch
 * @throws QuillgateError 403 `device_lacks_delete_permission`, `device_lacks_edit_permission`,
 * `device_session_too_recent`, `step_up_required`, in this order
 */
export function requireTrust(
  acting: DeviceRecord,
  {
    minAge = 0,
    maxProofAge = null,
    permissions = [],
  }: {
    minAge?: number | undefined
    maxProofAge?: number | null | undefined
    permissions?: readonly string[] | undefined
  },
  now: number,
): void {
  if (permissions.includes('canDeleteOthers') && !acting.device.canDeleteOthers) throw lacksDelete()
  if (permissions.includes('canEditOthers') && !acting.device.canEditOthers) throw lacksEdit()
  requireAge(acting, minAge, now)
  requireProof(acting, maxProofAge, now)
}

function lacksDelete(): QuillgateError {
  return deviceError('device_lacks_delete_permission', 'This device may not revoke other devices.')
}

function lacksEdit(): QuillgateError {
  return deviceError('device_lacks_edit_permission', 'This device may not edit other devices.')
}

function changesRights(
  device: TrustedDevice,
  { canDeleteOthers, canEditOthers }: DeviceChanges,
): boolean {
  return (
    (canDeleteOthers !== undefined && canDeleteOthers !== device.canDeleteOthers) ||
    (canEditOthers !== undefined && canEditOthers !== device.canEditOthers)
  )
}

/** Checks what revoking another device requires, except the setting. */
function requirePower(
  acting: DeviceRecord,
  { deleteDelay, stepUpAge }: PermissionSettings,
  now: number,
): void {
  if (!acting.device.canDeleteOthers) throw lacksDelete()
  requireAge(acting, deleteDelay, now)
  requireProof(acting, stepUpAge, now)
}

function requireAge({ device }: DeviceRecord, delay: number, now: number): void {
  if (now - device.createdAt.getTime() < delay * 1000) {
    throw deviceError(
      'device_session_too_recent',
      `This device is too new for this. Use an older one, or wait until it is ${delay} s old.`,
    )
  }
}

function requireProof({ provedAt }: DeviceRecord, stepUpAge: number | null, now: number): void {
  if (stepUpAge === null) return
  if (provedAt === null || now - provedAt > stepUpAge * 1000) {
    throw deviceError('step_up_required', 'Enter your password again first.')
  }
}

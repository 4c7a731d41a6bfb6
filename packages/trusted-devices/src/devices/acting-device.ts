import { ConfigurationError, serverError } from '@quillgate/server/core'
import { deviceError } from '../errors.ts'
import type { Tables } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** The key of a device: its uid and the id of its owner. */
export interface DeviceKey {
  readonly uid: string
  readonly userId: string
}

/** The device on whose behalf an operation runs, such as the one that `authenticate` returned. */
export type ActingDevice = DeviceKey

/**
 * Checks that an argument is a device.
 *
 * @param call the name of the method
 * @throws ConfigurationError that contains the name of the method
 */
export function checkActing(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'uid' in value && 'userId' in value) return
  const problem = 'needs a device: that of login, or session.device of authenticate'
  throw new ConfigurationError(call, problem, value)
}

/**
 * Returns the acting device as it is now.
 *
 * @throws QuillgateError 401 `authentication_required` if it was revoked after the request was
 * authenticated
 */
export async function requireActing(
  { devices }: Tables,
  acting: ActingDevice,
): Promise<DeviceRecord> {
  const record = await devices.find(acting.uid)
  if (record?.device.userId !== acting.userId) {
    throw serverError('authentication_required', 'This device was signed out. Sign in again.')
  }
  return record
}

/**
 * Returns a device of this user.
 *
 * @throws QuillgateError 404 `device_not_found`, also for a device of another user
 */
export async function requireOwn(
  { devices }: Tables,
  userId: string,
  uid: string,
): Promise<DeviceRecord> {
  const record = await devices.find(uid)
  if (record?.device.userId !== userId) {
    throw deviceError(
      'device_not_found',
      'You have no such device. Load the list of devices again.',
    )
  }
  return record
}

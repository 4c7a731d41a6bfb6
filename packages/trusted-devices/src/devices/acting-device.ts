import { ConfigurationError, serverError } from '@quillgate/server/core'
import { deviceError } from '../errors.ts'
import type { Tables } from './tables/device-database.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** A device of a user. */
export interface DeviceKey {
  readonly uid: string
  readonly userId: string
}

/** The device that acts: the one that `authenticate` returned. */
export type ActingDevice = DeviceKey

/**
 * Checks the argument of a call that is an acting device. @throws ConfigurationError that names the
 * call
 */
export function checkActing(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'uid' in value && 'userId' in value) return
  const problem = 'needs a device: that of login, or session.device of authenticate'
  throw new ConfigurationError(call, problem, value)
}

/**
 * Returns the acting device as it is now. It may have been revoked since the request was
 * authenticated.
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

/** Returns a device of this user. Another user's device does not exist for them. */
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

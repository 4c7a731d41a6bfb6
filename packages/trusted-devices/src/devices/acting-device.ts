import { ConfigurationError, serverError } from '@quillgate/server/core'
import { deviceError } from '../errors.ts'
import type { Tables } from './tables/device-database.ts'
import type { DeviceKey, DeviceRecord } from './tables/device-record.ts'

/** Throws a ConfigurationError that names the method `call` if the value is not a device. */
export function checkActing(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'uid' in value && 'userId' in value) return
  const problem =
    'needs the device that login() returned, or session.device from the result of authenticate()'
  throw new ConfigurationError(call, problem, value)
}

/**
 * Returns the record of the device that makes the request. Throws a 401 `authentication_required`
 * if the device was revoked.
 */
export async function requireActing({ devices }: Tables, acting: DeviceKey): Promise<DeviceRecord> {
  const record = await devices.findOwn(acting)
  if (record) return record
  throw serverError('authentication_required', 'This device was signed out. Sign in again.')
}

/**
 * Returns the record of a device. Throws a 404 `device_not_found` if the device does not exist or
 * belongs to another user.
 */
export async function requireOwn({ devices }: Tables, key: DeviceKey): Promise<DeviceRecord> {
  const record = await devices.findOwn(key)
  if (record) return record
  throw deviceError('device_not_found', 'You have no such device. Load the list of devices again.')
}

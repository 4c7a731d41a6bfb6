import { ConfigurationError } from '@quillgate/server/core'
import type { ActingDevice } from './acting-device.ts'
import { findCachedDevice, findDevice } from './device-use.ts'
import type { Parts } from './registry-parts.ts'
import type { DeviceRecord } from './tables/device-record.ts'

/** The content of the application's own session after a login with `transport: 'session'`. */
export interface ApplicationSession {
  /** The user whom the session is of. */
  readonly userId: string
  /** `uid` of the device that `login` gave. */
  readonly deviceUid: string
  /**
   * The id of the session, where `login` was told it: then no other session of this device counts.
   */
  readonly sessionId: string | null
}

const MAX_LENGTH = 255

/** @throws ConfigurationError for what cannot be the id of a session */
export function checkSessionId(value: unknown): string {
  const isStorable =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_LENGTH &&
    value.isWellFormed() &&
    !value.includes('\0')
  if (isStorable) return value
  // The value is a secret, so the message does not contain it.
  throw new ConfigurationError(
    'sessionId',
    `must be the id of a session: text of 1 to ${MAX_LENGTH} characters`,
  )
}

/**
 * Saves the new id of a session that continues, for example after the application regenerated it.
 *
 * @returns whether the device still existed
 */
export async function updateSession(
  parts: Parts<'cache' | 'db' | 'table'>,
  device: ActingDevice,
  sessionId: string,
): Promise<boolean> {
  const id = checkSessionId(sessionId)
  const isThere = await parts.table.updateSession(parts.db.executor, device, id)
  parts.cache.forget(device.uid)
  return isThere
}

/**
 * The device of an application's session, at most `deviceCacheTtl` old; null when the session is
 * over.
 */
export async function findSessionDevice(
  parts: Parts<'cache' | 'db' | 'table'>,
  session: ApplicationSession,
): Promise<DeviceRecord | null> {
  const record = await findCachedDevice(parts, session.deviceUid)
  if (!record || belongs(record, session)) return record
  // Another node may just have noted another session: then what is remembered here is too old.
  parts.cache.forget(session.deviceUid)
  const fresh = await findDevice(parts, session.deviceUid)
  return fresh && belongs(fresh, session) ? fresh : null
}

function belongs({ device, sessionId }: DeviceRecord, session: ApplicationSession): boolean {
  return (
    device.userId === session.userId &&
    (session.sessionId === null || session.sessionId === sessionId)
  )
}

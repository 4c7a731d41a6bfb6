import { v7 } from 'uuid'
import { deviceError } from './errors.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

let sequence = 0

/**
 * Creates a UUID v7 (RFC 9562 §5.7) from a time in milliseconds since the epoch. UUIDs that one
 * process creates in the same millisecond sort in the order of their creation.
 */
export function createUuid(now: number): string {
  sequence = (sequence + 1) % 2 ** 32
  return v7({ msecs: now, seq: sequence })
}

/** Converts a UUID with hyphens to lower case. Returns null for any other text. */
export function parseUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

/** Converts a UUID to lower case. Throws a 400 `invalid_uid` with `message` for any other text. */
export function requireUid(text: string, message = 'The uid of a device must be a UUID.'): string {
  const uid = parseUuid(text)
  if (uid === null) throw deviceError('invalid_uid', message)
  return uid
}

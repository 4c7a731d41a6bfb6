import { v7 } from 'uuid'
import { deviceError } from './errors.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

let sequence = 0

/**
 * Creates a UUID v7 (RFC 9562 §5.7). Ids that one process creates in the same millisecond sort in
 * the order of their creation.
 */
export function createUuid(now: number): string {
  sequence = (sequence + 1) % 2 ** 32
  return v7({ msecs: now, seq: sequence })
}

/** Returns the lower-case spelling of a UUID with dashes, or null for other text. */
export function parseUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

/** @throws QuillgateError 400 `invalid_uid` with this message if the text is not a UUID */
export function requireUid(text: string, message = 'The uid of a device must be a UUID.'): string {
  const uid = parseUuid(text)
  if (uid === null) throw deviceError('invalid_uid', message)
  return uid
}

import { v7 } from 'uuid'
import { deviceError } from './errors.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

let sequence = 0

/**
 * Creates a UUID v7 (RFC 9562 §5.7). Ids of one process and one millisecond sort in the order of
 * the calls.
 *
 * @param now milliseconds since the epoch
 */
export function createUuid(now: number): string {
  sequence = (sequence + 1) % 2 ** 32
  return v7({ msecs: now, seq: sequence })
}

/** Returns the lower-case spelling of a UUID with dashes, or null for other text. */
export function parseUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

/**
 * @param message names the place of the UUID @throws QuillgateError 400 `invalid_uid` for other
 * text
 */
export function requireUid(text: string, message = 'A device is named by its UUID.'): string {
  const uid = parseUuid(text)
  if (uid === null) throw deviceError('invalid_uid', message)
  return uid
}

/** The 16 bytes of a UUID. */
export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

/** The UUID of 16 bytes. */
export function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

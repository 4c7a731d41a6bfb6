import { randomBytes } from 'node:crypto'
import { deviceError } from './errors.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Makes ids. @param now milliseconds since the epoch */
export type CreateUuid = (now: number) => string

const SEQUENCE_SIZE = 0x1000

/**
 * Makes a maker of UUIDs v7 (RFC 9562 §5.7): the time, then 12 bits that count within a millisecond
 * (§6.2, method 1), then 62 random bits. Its ids grow with each call, so sorting by them keeps the
 * order of events even within one millisecond, and also when the clock is set back.
 *
 * @param random gives so many random bytes
 */
export function createUuids(random: (size: number) => Uint8Array = randomBytes): CreateUuid {
  let time = 0
  let sequence = 0
  return (now) => {
    sequence = now > time ? 0 : sequence + 1
    if (now > time) time = now
    if (sequence === SEQUENCE_SIZE) {
      time++
      sequence = 0
    }
    const bytes = Buffer.alloc(16)
    bytes.writeUIntBE(time, 0, 6)
    bytes.writeUInt16BE(0x7000 | sequence, 6)
    bytes.set(random(8), 8)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return toUuid(bytes)
  }
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

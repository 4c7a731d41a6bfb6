import { createHmac, timingSafeEqual } from 'node:crypto'

/** Makes and reads the tokens of links. A link is about the mail that an event leads. */
export interface AlertLinks {
  issue(eventId: string): string
  /** Returns the event of our token. Returns null for any other text. */
  parse(token: string): string | null
}

const ID_BYTES = 16
const TOKEN = /^[\w-]{64}$/ // 48 bytes.

/**
 * Links are derived and not stored: `base64url(event id, MAC)` with an HMAC-SHA-256 under a key of
 * their own. The same link is the same token at each delivery.
 *
 * @param keys the first signs, all verify
 */
export function createAlertLinks(keys: readonly [Buffer, ...Buffer[]]): AlertLinks {
  const sign = (key: Buffer, id: Buffer): Buffer => createHmac('sha256', key).update(id).digest()
  return {
    issue(eventId) {
      const id = Buffer.from(eventId.replaceAll('-', ''), 'hex')
      return Buffer.concat([id, sign(keys[0], id)]).toString('base64url')
    },
    parse(token) {
      if (!TOKEN.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const id = bytes.subarray(0, ID_BYTES)
      const mac = bytes.subarray(ID_BYTES)
      if (!keys.some((key) => timingSafeEqual(mac, sign(key, id)))) return null
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    },
  }
}

/**
 * Returns when an event happened, in milliseconds since the epoch: the first 48 bits of a UUID v7
 * (RFC 9562 §5.7).
 */
export function timeOf(eventId: string): number {
  return Number.parseInt(eventId.replace('-', '').slice(0, 12), 16)
}

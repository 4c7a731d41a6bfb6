import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The functions that create and parse the tokens in the links of mails. A token contains the id of
 * the most serious event of a mail.
 */
export type AlertLinks = ReturnType<typeof createAlertLinks>

const ID_BYTES = 16
const TOKEN = /^[\w-]{64}$/ // 48 bytes in base64url.

/**
 * Creates tokens of the form `base64url(event id, HMAC-SHA-256)`. The first key signs tokens. Every
 * key can verify them.
 */
export function createAlertLinks(keys: readonly [Buffer, ...Buffer[]]) {
  const sign = (key: Buffer, id: Buffer): Buffer => createHmac('sha256', key).update(id).digest()
  return {
    issue(eventId: string): string {
      const id = Buffer.from(eventId.replaceAll('-', ''), 'hex')
      return Buffer.concat([id, sign(keys[0], id)]).toString('base64url')
    },
    parse(token: string): string | null {
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
 * Returns the time of an event in milliseconds since the epoch. The first 48 bits of a UUID v7
 * contain the time (RFC 9562 §5.7).
 */
export function timeOf(eventId: string): number {
  return Number.parseInt(eventId.replace('-', '').slice(0, 12), 16)
}

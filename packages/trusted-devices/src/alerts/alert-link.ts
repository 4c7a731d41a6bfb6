import { createHmac, timingSafeEqual } from 'node:crypto'
import { toUserId } from '@quillgate/server/core'
import { parseUuid, toUuid, uuidBytes } from '../uuid.ts'
import { ALERT_KINDS, type AlertKind } from './alert-event.ts'

/** The content of a mail's link. */
export interface AlertLink {
  readonly kind: AlertKind
  /** Whether the mail told of several sign-ins, which are all meant then. */
  readonly isSummary: boolean
  /** The event that leads the mail. */
  readonly eventId: string
  readonly deviceUid: string
  readonly scope: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly userId: string
}

/** Makes and reads the tokens of links. */
export interface AlertLinks {
  issue(link: AlertLink): string
  /** Returns the content of our token, even if it expired. Returns null for any other text. */
  parse(token: string): AlertLink | null
}

const VERSION = 1
const HEAD_BYTES = 55 // version, kind, event, device, scope, expiry
const MAC_BYTES = 32
const SUMMARY = 0x80
const TOKEN = /^[A-Za-z0-9_-]{118,1400}$/

/**
 * Links are derived and not stored: `base64url(version, kind, event, device, scope, expiry in
 * seconds, user, MAC)` with an HMAC-SHA-256 under a key of their own. The same link is the same
 * token at each delivery.
 *
 * @param keys the first signs, all verify (`deriveKeys`)
 */
export function createAlertLinks(keys: readonly [Buffer, ...Buffer[]]): AlertLinks {
  const sign = (key: Buffer, claims: Buffer): Buffer =>
    createHmac('sha256', key).update(claims).digest()
  return {
    issue(link) {
      const claims = encode(link)
      return Buffer.concat([claims, sign(keys[0], claims)]).toString('base64url')
    },
    parse(token) {
      if (!TOKEN.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const claims = bytes.subarray(0, -MAC_BYTES)
      const mac = bytes.subarray(-MAC_BYTES)
      const isOurs =
        claims.length > HEAD_BYTES && keys.some((key) => timingSafeEqual(mac, sign(key, claims)))
      return isOurs ? decode(claims) : null
    },
  }
}

function encode({
  kind,
  isSummary,
  eventId,
  deviceUid,
  scope,
  expiresAt,
  userId,
}: AlertLink): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(VERSION, 0)
  head.writeUInt8(ALERT_KINDS.indexOf(kind) | (isSummary ? SUMMARY : 0), 1)
  head.set(uuidBytes(eventId), 2)
  head.set(uuidBytes(deviceUid), 18)
  head.set(Buffer.from(scope, 'hex'), 34)
  head.writeUIntBE(Math.floor(expiresAt / 1000), 50, 5)
  return Buffer.concat([head, Buffer.from(userId)])
}

/** Only what was signed comes here: it is as `encode` wrote it, in this version or another one. */
function decode(claims: Buffer): AlertLink | null {
  const kind = ALERT_KINDS[claims.readUInt8(1) & ~SUMMARY]
  const eventId = parseUuid(toUuid(claims.subarray(2, 18)))
  const deviceUid = parseUuid(toUuid(claims.subarray(18, 34)))
  if (claims.readUInt8(0) !== VERSION || !kind || eventId === null || deviceUid === null)
    return null
  return {
    kind,
    isSummary: (claims.readUInt8(1) & SUMMARY) !== 0,
    eventId,
    deviceUid,
    scope: claims.toString('hex', 34, 50),
    expiresAt: claims.readUIntBE(50, 5) * 1000,
    userId: toUserId(claims.toString('utf8', HEAD_BYTES)),
  }
}

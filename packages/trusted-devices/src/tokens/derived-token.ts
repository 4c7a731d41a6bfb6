import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { parseUuid, toUuid, uuidBytes } from '../uuid.ts'

/** The claims of an opaque token: a device and a position in one of its counters. */
export interface DerivedTokenClaims {
  /** The device. */
  readonly uid: string
  /** The login that it belongs to; 0 where that does not matter. */
  readonly generation: number
  /** The position within the generation. */
  readonly counter: number
}

const VERSION = 1
const CLAIMS_BYTES = 25 // version, uid, generation, counter
const MAC_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{76}$/

/**
 * Opaque tokens that are derived and not stored: `base64url(version, uid, generation, counter, MAC)`
 * with an HMAC-SHA-256 under a key of their own. Nothing in the database is worth stealing, and a
 * token can be made again. The idea is that of Supabase Auth's refresh tokens of 2025: a counter
 * and a key per session.
 */
export class DerivedTokens {
  readonly #keys: readonly KeyObject[]

  /** @param keys the first signs, all verify (`deriveKeys`) */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((key) => createSecretKey(key)) // To import a key costs more than to sign with it.
  }

  /** Returns the token for these claims: always the same, so a lost answer can be repeated. */
  issue(claims: DerivedTokenClaims): string {
    const bytes = encode(claims)
    const [signing] = this.#keys
    if (!signing) throw new TypeError('There is no key to sign with.')
    return Buffer.concat([bytes, sign(signing, bytes)]).toString('base64url')
  }

  /** Verifies a token. @returns its claims, or null for a token of another key */
  parse(token: string): DerivedTokenClaims | null {
    if (!TOKEN.test(token)) return null
    const bytes = Buffer.from(token, 'base64url')
    const claims = bytes.subarray(0, CLAIMS_BYTES)
    const mac = bytes.subarray(CLAIMS_BYTES)
    const isOurs =
      mac.length === MAC_BYTES && this.#keys.some((key) => timingSafeEqual(mac, sign(key, claims)))
    return isOurs ? decode(claims) : null
  }
}

function sign(key: KeyObject, claims: Buffer): Buffer {
  return createHmac('sha256', key).update(claims).digest()
}

function encode({ uid, generation, counter }: DerivedTokenClaims): Buffer {
  const bytes = Buffer.alloc(CLAIMS_BYTES)
  bytes.writeUInt8(VERSION, 0)
  bytes.set(uuidBytes(uid), 1)
  bytes.writeUInt32BE(generation, 17)
  bytes.writeUInt32BE(counter, 21)
  return bytes
}

function decode(bytes: Buffer): DerivedTokenClaims | null {
  const uid = parseUuid(toUuid(bytes.subarray(1, 17)))
  if (bytes.readUInt8(0) !== VERSION || uid === null) return null
  return { uid, generation: bytes.readUInt32BE(17), counter: bytes.readUInt32BE(21) }
}

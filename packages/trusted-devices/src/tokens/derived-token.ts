import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { parseUuid, toUuid, uuidBytes } from '../uuid.ts'

/** The claims of an opaque token: a device and a position. */
export interface DerivedTokenClaims {
  /** The uid of the device. */
  readonly uid: string
  /** The session generation of the device, which each login increments; 0 in device credentials. */
  readonly generation: number
  /** The counter within the generation, or the counter of the device credential. */
  readonly counter: number
}

const VERSION = 1
const CLAIMS_BYTES = 25 // version, uid, generation, counter
const MAC_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{76}$/

/**
 * Creates and verifies opaque tokens that are derived from their claims and not stored. A token is
 * `base64url(version, uid, generation, counter, MAC)`. The MAC is an HMAC-SHA-256 with a separate
 * key for each kind of token. The database therefore contains no tokens that could be stolen, and
 * the same token can be created again. Supabase Auth introduced a similar design in 2025, with a
 * counter and a key per session.
 */
export class DerivedTokens {
  readonly #keys: readonly KeyObject[]

  /** @param keys the keys from `deriveKeys`: the first one signs, all of them verify */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((key) => createSecretKey(key)) // Importing a key takes longer than signing.
  }

  /**
   * Returns the token for these claims. The same claims always result in the same token, so that a
   * lost response can be repeated.
   */
  issue(claims: DerivedTokenClaims): string {
    const bytes = encode(claims)
    const [signing] = this.#keys
    if (!signing) throw new TypeError('There is no key to sign with.')
    return Buffer.concat([bytes, sign(signing, bytes)]).toString('base64url')
  }

  /**
   * Verifies a token.
   *
   * @returns the claims, or null if the token was not signed with one of the keys
   */
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

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import type { TokenPosition } from './rotation-and-reuse.ts'

/** The claims of an opaque token: the uid of a device and a position. */
export interface DerivedTokenClaims extends TokenPosition {
  readonly uid: string
}

/** The current key, and older keys that are still accepted. */
export type Keys<Key> = readonly [Key, ...Key[]]

/** Imports keys once, because importing a key takes longer than signing. */
export function importKeys([first, ...older]: Keys<Buffer>): Keys<KeyObject> {
  return [createSecretKey(first), ...older.map((key) => createSecretKey(key))]
}

const VERSION = 1
const CLAIMS_BYTES = 25 // version, uid, generation, counter
const TOKEN = /^[A-Za-z0-9_-]{76}$/ // 57 bytes: the claims and a MAC of 32 bytes.

/**
 * Creates and verifies opaque tokens. A token is calculated from its claims and a key, and is not
 * stored. The database therefore contains no tokens that could be stolen. A token is
 * `base64url(version, uid, generation, counter, MAC)`. In device credentials, the generation is 0.
 * The MAC is an HMAC-SHA-256 with a separate key for each kind of token. Supabase Auth introduced a
 * similar design in 2025, with a counter and a key per session.
 */
export class DerivedTokens {
  readonly #keys: Keys<KeyObject>

  constructor(keys: Keys<Buffer>) {
    this.#keys = importKeys(keys)
  }

  /** Creates a token. The same claims give the same token, so a lost response can be repeated. */
  issue(claims: DerivedTokenClaims): string {
    const bytes = encode(claims)
    return Buffer.concat([bytes, sign(this.#keys[0], bytes)]).toString('base64url')
  }

  /**
   * Returns the claims, or null if the token was not signed with one of the keys. A credential from
   * a JSON body can have any type.
   */
  parse(token: unknown): DerivedTokenClaims | null {
    if (typeof token !== 'string' || !TOKEN.test(token)) return null
    const bytes = Buffer.from(token, 'base64url')
    const claims = bytes.subarray(0, CLAIMS_BYTES)
    const mac = bytes.subarray(CLAIMS_BYTES)
    const isOurs = this.#keys.some((key) => timingSafeEqual(mac, sign(key, claims)))
    return isOurs ? decode(claims) : null
  }
}

function sign(key: KeyObject, claims: Buffer): Buffer {
  return createHmac('sha256', key).update(claims).digest()
}

function encode({ uid, generation, counter }: DerivedTokenClaims): Buffer {
  const bytes = Buffer.alloc(CLAIMS_BYTES)
  bytes.writeUInt8(VERSION, 0)
  bytes.set(parse(uid), 1)
  bytes.writeUInt32BE(generation, 17)
  bytes.writeUInt32BE(counter, 21)
  return bytes
}

function decode(bytes: Buffer): DerivedTokenClaims | null {
  if (bytes.readUInt8(0) !== VERSION) return null
  const uid = stringify(bytes, 1)
  return { uid, generation: bytes.readUInt32BE(17), counter: bytes.readUInt32BE(21) }
}

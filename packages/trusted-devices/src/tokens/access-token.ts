import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type DerivedTokenClaims, importKeys, type Keys } from './derived-token.ts'

/**
 * The claims of an access token. `generation` and `counter` are those of the refresh token that was
 * issued with it.
 */
export interface AccessClaims extends DerivedTokenClaims {
  readonly userId: string
}

type AccessRefusal = 'token_invalid' | 'token_expired'

interface AccessTokenOptions {
  /** The first key signs. Every key verifies. */
  readonly keys: Keys<Buffer>
  /** The `aud` claim. Issued tokens contain this value, and verified tokens must contain it. */
  readonly audience: string
  /** The lifetime of an issued token in seconds. */
  readonly lifetime: number
  readonly clock: () => number
}

/** The header of every token (RFC 9068 §2.1). The algorithm is never read from a token. */
const HEADER = encode({ alg: 'HS256', typ: 'at+jwt' })
const ISSUER = 'quillgate'
const MAX_LENGTH = 4096 // User ids have at most 250 characters, so valid tokens are shorter.
const CLOCK_SKEW = 60 // Seconds by which another node's clock may be ahead.

/**
 * Creates and verifies short-lived JWTs (HS256). Does not use `jose`, because a verification would
 * take five times as long. The Web Crypto API that `jose` uses computes each HMAC on another
 * thread.
 */
export class AccessTokens {
  readonly #options: AccessTokenOptions
  readonly #keys: Keys<KeyObject>

  constructor(options: AccessTokenOptions) {
    this.#options = options
    this.#keys = importKeys(options.keys)
  }

  issue({ userId, uid, generation, counter }: AccessClaims): string {
    const { audience, lifetime } = this.#options
    const iat = this.#seconds()
    const claims = { iss: ISSUER, aud: audience, sub: userId, iat, exp: iat + lifetime }
    const text = `${HEADER}.${encode({ ...claims, device_uid: uid, generation, counter })}`
    return `${text}.${sign(text, this.#keys[0])}`
  }

  verify(token: string): AccessClaims | AccessRefusal {
    const payload = readSigned(token, this.#keys)
    if (payload === null) return 'token_invalid'
    return readClaims(payload, this.#options.audience, this.#seconds())
  }

  #seconds(): number {
    return Math.floor(this.#options.clock() / 1000)
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function sign(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Returns the payload of a token that was signed with one of these keys, or null. */
function readSigned(token: string, keys: readonly KeyObject[]): Record<string, unknown> | null {
  if (token.length > MAX_LENGTH || !token.startsWith(`${HEADER}.`)) return null
  const end = token.lastIndexOf('.')
  const text = token.slice(0, end)
  // Compares the signatures as base64url text, because several texts can decode to the same bytes.
  const signature = Buffer.from(token.slice(end + 1))
  const isOurs = keys.some((key) => {
    const expected = Buffer.from(sign(text, key))
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  })
  if (!isOurs) return null
  try {
    const payload = Buffer.from(text.slice(HEADER.length + 1), 'base64url').toString()
    return Object(JSON.parse(payload))
  } catch {
    return null
  }
}

/** @param now seconds since the epoch */
function readClaims(
  payload: Readonly<Record<string, unknown>>,
  audience: string,
  now: number,
): AccessClaims | AccessRefusal {
  const { iss, aud, sub, iat, nbf = now, exp, device_uid: uid, generation, counter } = payload
  if (iss !== ISSUER || aud !== audience || typeof sub !== 'string' || typeof uid !== 'string')
    return 'token_invalid'
  if (typeof generation !== 'number' || typeof counter !== 'number') return 'token_invalid'
  if (typeof iat !== 'number' || typeof nbf !== 'number' || typeof exp !== 'number')
    return 'token_invalid'
  if (iat > now + CLOCK_SKEW || nbf > now) return 'token_invalid'
  return exp > now ? { userId: sub, uid, generation, counter } : 'token_expired'
}

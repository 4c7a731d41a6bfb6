import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The claims of an access token. */
export interface AccessClaims {
  /** The user's id, as text. */
  readonly userId: string
  /** The uid of the device that the token was issued to. */
  readonly uid: string
  /** The position (generation and counter) of the refresh token that was issued with it. */
  readonly generation: number
  readonly counter: number
}

/** The reason why an access token is refused. */
export type AccessRefusal = 'token_invalid' | 'token_expired'

/** The options of {@link AccessTokens}. */
export interface AccessTokenOptions {
  /** The keys from `deriveKeys`. The first one signs, all of them verify. */
  readonly keys: readonly Buffer[]
  /** The `aud` claim that tokens have and must have. @default 'quillgate:trusted-devices' */
  readonly audience?: string
  /** The lifetime of a token in seconds. */
  readonly lifetime: number
  /** Returns the time in milliseconds since the epoch. */
  readonly clock: () => number
}

/** The header of every token (RFC 9068 §2.1). The algorithm is never read from a token. */
const HEADER = encode({ alg: 'HS256', typ: 'at+jwt' })
const ISSUER = 'quillgate'
/**
 * The maximum length of a token. User ids have at most 255 characters, so valid tokens are shorter.
 */
const MAX_LENGTH = 4096
const CLOCK_SKEW = 60 // Seconds that another node's clock may be ahead.

/**
 * Creates and verifies short-lived JWTs (HS256). It does not use `jose`, because Web Crypto
 * computes the HMAC on another thread, and a verification then takes five times as long.
 */
export class AccessTokens {
  readonly #keys: readonly KeyObject[]
  readonly #audience: string
  readonly #lifetime: number
  readonly #clock: () => number

  constructor(options: AccessTokenOptions) {
    const { keys, audience = 'quillgate:trusted-devices', lifetime, clock } = options
    this.#keys = keys.map((key) => createSecretKey(key))
    this.#audience = audience
    this.#lifetime = lifetime
    this.#clock = clock
  }

  /** Returns a token that is valid from now for the configured lifetime. */
  issue({ userId, uid, generation, counter }: AccessClaims): string {
    const iat = this.#seconds()
    const claims = { iss: ISSUER, aud: this.#audience, sub: userId, iat, exp: iat + this.#lifetime }
    const text = `${HEADER}.${encode({ ...claims, device_uid: uid, generation, counter })}`
    const [signing] = this.#keys
    if (!signing) throw new TypeError('There is no key to sign with.')
    return `${text}.${sign(text, signing)}`
  }

  /** Returns the claims of a valid token, or the reason why it is refused. */
  verify(token: string): AccessClaims | AccessRefusal {
    const payload = readSigned(token, this.#keys)
    return payload === null ? 'token_invalid' : readClaims(payload, this.#audience, this.#seconds())
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1000)
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
  // Compares the encoded signatures, because several base64url texts can decode to the same bytes.
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

/**
 * Checks the payload of a token, and returns its claims or the reason why it is refused.
 *
 * @param now seconds since the epoch
 */
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

import { createSecretKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'

/** The claims of an access token. */
export interface AccessClaims {
  /** The user's id, as text. */
  readonly userId: string
  /** The device that it was issued to. */
  readonly uid: string
  /** The position of the refresh token that it came with. */
  readonly family: number
  readonly counter: number
}

/** Why an access token is refused. */
export type AccessRefusal = 'token_invalid' | 'token_expired'

/** Makes and reads access tokens. */
export interface AccessTokens {
  /** A token that is good from now on, for the configured lifetime. */
  issue(claims: AccessClaims): Promise<string>
  /** Returns the claims of a valid token, or why it is refused. */
  verify(token: string): Promise<AccessClaims | AccessRefusal>
}

/** How {@link createAccessTokens} works. */
export interface AccessTokenOptions {
  /** The first signs, all verify (`deriveKeys`). */
  readonly keys: readonly [Buffer, ...Buffer[]]
  /** The audience that tokens name, and must name. @default 'quillgate:trusted-devices' */
  readonly audience?: string
  /** Seconds. */
  readonly lifetime: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

interface Verified {
  readonly claims: AccessClaims
  /** Seconds since the epoch. */
  readonly expires: number
}

const HEADER = { alg: 'HS256', typ: 'at+jwt' } as const // RFC 9068 §2.1
const ISSUER = 'quillgate'
/** User ids have at most 255 characters, so longer tokens are invalid. */
const MAX_LENGTH = 4096
const CACHED_TOKENS = 10_000
const CLOCK_SKEW = 60 // Seconds that another node's clock may be ahead.

/**
 * The one spelling of our tokens: exactly our header, and a signature without unused bits. The
 * algorithm is never taken from a token.
 */
const FORM = new RegExp(
  `^${Buffer.from(JSON.stringify(HEADER)).toString('base64url')}\\.[\\w-]+\\.[\\w-]{42}[AEIMQUYcgkosw048]$`,
)

/**
 * Short-lived JWTs (HS256), made and verified by `jose`. Valid ones are cached, so that a busy
 * client's token costs one verification. The expiry is checked each time.
 */
export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { keys, audience = 'quillgate:trusted-devices', lifetime, clock } = options
  const [signing, ...older] = keys.map((key) => createSecretKey(key))
  if (!signing) throw new TypeError('There is no key to sign with.')
  const verified = new LRUCache<string, Verified>({ max: CACHED_TOKENS })
  const seconds = (): number => Math.floor(clock() / 1000)
  return {
    async issue({ userId, uid, family, counter }) {
      const now = seconds()
      return new SignJWT({ device_uid: uid, family, counter })
        .setProtectedHeader(HEADER)
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetime)
        .sign(signing)
    },
    async verify(token) {
      if (token.length > MAX_LENGTH) return 'token_invalid'
      const known = verified.get(token)
      if (known) return known.expires > seconds() ? known.claims : 'token_expired'
      if (!FORM.test(token)) return 'token_invalid'
      const result = await verify(token, [signing, ...older], audience, seconds())
      if (typeof result === 'string') return result
      verified.set(token, result)
      return result.claims
    },
  }
}

/** @param now seconds since the epoch */
async function verify(
  token: string,
  keys: readonly KeyObject[],
  audience: string,
  now: number,
): Promise<Verified | AccessRefusal> {
  const rules = { issuer: ISSUER, audience, currentDate: new Date(now * 1000) }
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: [HEADER.alg], ...rules })
      return readClaims(payload, audience, now)
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'token_expired'
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      if (error instanceof errors.JOSEError) return 'token_invalid'
      throw error
    }
  }
  return 'token_invalid'
}

function readClaims(payload: JWTPayload, audience: string, now: number): Verified | AccessRefusal {
  const { aud, sub, iat, exp, device_uid: uid, family, counter } = payload
  if (aud !== audience || typeof sub !== 'string' || typeof uid !== 'string') return 'token_invalid'
  if (typeof family !== 'number' || typeof counter !== 'number') return 'token_invalid'
  if (exp === undefined || iat === undefined || iat > now + CLOCK_SKEW) return 'token_invalid'
  return { claims: { userId: sub, uid, family, counter }, expires: exp }
}

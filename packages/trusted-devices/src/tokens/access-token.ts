import { createSecretKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { createJwtReader, type ReadJwt } from './read-jwt.ts'

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
  verify(token: string): AccessClaims | AccessRefusal
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
 * Short-lived JWTs (HS256), signed with `jose`. Good ones are remembered, so that a busy client's
 * token costs one verification; bad ones never are. Whether a token has expired is looked at each
 * time.
 */
export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { keys, audience = 'quillgate:trusted-devices', lifetime, clock } = options
  const signing = createSecretKey(keys[0])
  const read = createJwtReader(HEADER, keys)
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
    verify(token) {
      if (token.length > MAX_LENGTH) return 'token_invalid' // Before anything looks at the text, a map too.
      const known = verified.get(token)
      if (known) return known.expires > seconds() ? known.claims : 'token_expired'
      const result = verify(read(token), audience, seconds())
      if (typeof result === 'string') return result
      verified.set(token, result)
      return result.claims
    },
  }
}

function verify(
  payload: ReturnType<ReadJwt>,
  audience: string,
  now: number,
): Verified | AccessRefusal {
  if (!payload) return 'token_invalid'
  const { iss, aud, sub, iat, nbf = now, exp, device_uid: uid, family, counter } = payload
  if (iss !== ISSUER || aud !== audience || typeof sub !== 'string') return 'token_invalid'
  if (typeof uid !== 'string' || typeof family !== 'number' || typeof counter !== 'number')
    return 'token_invalid'
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number')
    return 'token_invalid'
  if (iat > now + CLOCK_SKEW || nbf > now) return 'token_invalid'
  if (exp <= now) return 'token_expired'
  return { claims: { userId: sub, uid, family, counter }, expires: exp }
}

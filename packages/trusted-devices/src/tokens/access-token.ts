import { webcrypto } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { createLruCache } from '../lru-cache.ts'

/** What an access token says. */
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
  /** The claims of a good token, or why it is none. */
  verify(token: string): Promise<AccessClaims | AccessRefusal>
}

/** How {@link createAccessTokens} works. */
export interface AccessTokenOptions {
  /** The first signs, all verify (`deriveKeys`). */
  readonly keys: readonly [Buffer, ...Buffer[]]
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

const TYPE = 'at+jwt' // RFC 9068 §2.1
const ISSUER = 'quillgate'
const AUDIENCE = 'quillgate:trusted-devices'
const MAX_LENGTH = 4096
const CACHED_TOKENS = 10_000
const CLOCK_SKEW = 60 // Seconds that another node's clock may be ahead.

/**
 * Short-lived JWTs (HS256), verified with `jose` and remembered until they expire, so that a busy client's token costs
 * one verification.
 */
export function createAccessTokens({ keys, lifetime, clock }: AccessTokenOptions): AccessTokens {
  const imported = Promise.all(keys.map(importKey))
  const verified = createLruCache<Verified>(CACHED_TOKENS)
  const seconds = (): number => Math.floor(clock() / 1000)
  return {
    async issue({ userId, uid, family, counter }) {
      const [signing] = await imported
      if (!signing) throw new TypeError('There is no key to sign with.')
      const now = seconds()
      return new SignJWT({ device_uid: uid, family, counter })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetime)
        .sign(signing)
    },
    async verify(token) {
      const known = verified.get(token)
      if (known) return known.expires > seconds() ? known.claims : 'token_expired'
      if (token.length > MAX_LENGTH) return 'token_invalid'
      const result = await verifyWithAny(token, await imported, clock())
      if (typeof result !== 'string') verified.set(token, result)
      return typeof result === 'string' ? result : result.claims
    },
  }
}

async function verifyWithAny(
  token: string,
  keys: readonly webcrypto.CryptoKey[],
  now: number,
): Promise<Verified | AccessRefusal> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ: TYPE,
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'iat', 'exp'],
        currentDate: new Date(now),
      })
      return toVerified(payload, Math.floor(now / 1000)) ?? 'token_invalid'
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'token_expired'
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return 'token_invalid'
    }
  }
  return 'token_invalid'
}

function toVerified(payload: Readonly<Record<string, unknown>>, now: number): Verified | null {
  const { sub, iat, exp, device_uid: uid, family, counter } = payload
  if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null
  if (typeof uid !== 'string' || typeof family !== 'number' || typeof counter !== 'number') return null
  if (iat > now + CLOCK_SKEW) return null
  return { claims: { userId: sub, uid, family, counter }, expires: exp }
}

function importKey(key: Buffer): Promise<webcrypto.CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return webcrypto.subtle.importKey('raw', Uint8Array.from(key), algorithm, false, ['sign', 'verify'])
}

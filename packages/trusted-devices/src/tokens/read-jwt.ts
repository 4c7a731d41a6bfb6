import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * Gives the claims of a JWT whose signature is good, or null. Times and names are for the caller to
 * judge.
 */
export type ReadJwt = (token: string) => Readonly<Record<string, unknown>> | null

const PAYLOAD = /^[A-Za-z0-9_-]+$/
const SIGNATURE = /^[A-Za-z0-9_-]{43}$/ // 32 bytes

/**
 * Reads JWTs (HS256, RFC 7515 §3.1) with exactly one header. A token with any other header, or
 * another spelling of it, is invalid, so the algorithm is never taken from a token. It decides like
 * `jwtVerify` of `jose` (a test compares them), but synchronously. Web Crypto verifies each
 * signature on another thread, which costs several times the hash.
 *
 * @param header as it is issued, for example `{ alg: 'HS256', typ: 'at+jwt' }`
 * @param keys each of them may have signed
 */
export function createJwtReader(
  header: { readonly alg: 'HS256'; readonly typ: string },
  keys: readonly Buffer[],
): ReadJwt {
  const start = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
  const imported = keys.map((key) => createSecretKey(key))
  return (token) => {
    const end = token.lastIndexOf('.')
    if (!token.startsWith(start) || end < start.length) return null
    const payload = token.slice(start.length, end)
    const signature = token.slice(end + 1)
    if (!PAYLOAD.test(payload) || !SIGNATURE.test(signature)) return null
    const signed = token.slice(0, end)
    return imported.some((key) => isSignedBy(key, signed, signature)) ? parseClaims(payload) : null
  }
}

/** Compares the text, so that a signature has one spelling only. */
function isSignedBy(key: KeyObject, signed: string, signature: string): boolean {
  const expected = createHmac('sha256', key).update(signed, 'latin1').digest('base64url')
  return timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(signature, 'latin1'))
}

function parseClaims(payload: string): Readonly<Record<string, unknown>> | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims)
    return isObject ? (claims as Record<string, unknown>) : null
  } catch {
    return null
  }
}

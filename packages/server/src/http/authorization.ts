// Browsers never add these two schemes by themselves, unlike Basic and Negotiate.
const OWN_SCHEME = /^(?:Bearer|DPoP)(?:\s|$)/i
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i // b64token, RFC 6750 §2.1

/**
 * Returns true for `Authorization: Bearer` or `DPoP`, whether or not the token is valid. Such a
 * request needs no CSRF token, and its cookies must be ignored.
 */
export function hasBearer(request: Request): boolean {
  return OWN_SCHEME.test(request.headers.get('authorization') ?? '')
}

/** Returns the token of `Authorization: Bearer <token>` (RFC 6750), or null. */
export function bearerToken(request: Request): string | null {
  return BEARER.exec(request.headers.get('authorization') ?? '')?.[1] ?? null
}

/** Returns the CSRF token in the `x-csrf-token` header, or null. */
export function csrfTokenFrom(request: Request): string | null {
  return request.headers.get('x-csrf-token')
}

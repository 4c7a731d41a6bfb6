// Browsers add the schemes Basic and Negotiate automatically. Only scripts can send Bearer and
// DPoP.
const OWN_SCHEME = /^(?:Bearer|DPoP)(?:\s|$)/i
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i // b64token, RFC 6750 §2.1

/**
 * Returns true if the header `Authorization` uses `Bearer` or `DPoP`, even with an invalid token.
 * Such a request needs no CSRF token, but its cookies must be ignored.
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

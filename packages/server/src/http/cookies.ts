import { parse } from 'hono/utils/cookie'

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/ // token, RFC 9110 §5.6.2

/**
 * Reads a `Cookie` header (RFC 6265 §5.4). If two cookies have the same name, the first cookie is
 * used, because its path is longer. However, if the name begins with `__Host-`, both cookies are
 * ignored, because browsers never send two of them. Values are percent-decoded if possible.
 *
 * @example
 * parseCookies(request.headers.get('cookie')).get('session')
 */
export function parseCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const pair of header?.split(';') ?? []) {
    for (const [name, value] of Object.entries(parse(pair))) {
      if (!NAME.test(name)) continue
      if (!cookies.has(name)) cookies.set(name, value)
      else if (/^__host-/i.test(name)) ambiguous.add(name)
    }
  }
  for (const name of ambiguous) cookies.delete(name)
  return cookies
}

/**
 * Adds the prefix `__Host-` to the name of a secure cookie. Browsers then accept the cookie only
 * over https, and not from a subdomain.
 */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base
}

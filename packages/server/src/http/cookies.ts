import { parse } from 'hono/utils/cookie'

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/ // token, RFC 9110 §5.6.2

/**
 * Reads a `Cookie` header (RFC 6265 §5.4). If two cookies have the same name, the first one is
 * used, because its path is longer. If the name begins with `__Host-`, both are ignored, because
 * browsers send only one such cookie. Values are percent-decoded if possible.
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
 * Returns the full name of a cookie, with its prefix. Browsers accept `__Host-` only over https and
 * from this host.
 */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base
}

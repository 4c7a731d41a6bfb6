import { ConfigurationError } from './errors.ts'

/** Attributes of a cookie. There is no `Domain`: our cookies stay on the host that set them. */
export interface CookieOptions {
  /** Only over https. Take it from `network.isSecure(context)`. */
  readonly secure: boolean
  /** Hidden from scripts. @default true */
  readonly httpOnly?: boolean
  /** @default 'lax' */
  readonly sameSite?: 'strict' | 'lax' | 'none'
  /** @default '/' */
  readonly path?: string
  /** Seconds to live; 0 deletes the cookie. Without it the cookie ends with the browser's session. */
  readonly maxAge?: number
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/ // token, RFC 9110 §5.6.2
const PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/ // av-octet, RFC 6265 §4.1.1
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' }

/**
 * Reads a `Cookie` header (RFC 6265 §5.4). Never throws. Of two cookies with one name the first counts, which is the
 * one with the longer path; percent-encoded values are decoded where that is possible, and else left as they are.
 *
 * @example
 * parseCookies(request.headers.get('cookie')).get('session')
 */
export function parseCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals).trim()
    if (equals < 0 || name === '' || cookies.has(name)) continue
    cookies.set(name, decode(pair.slice(equals + 1).trim()))
  }
  return cookies
}

/**
 * Writes a `Set-Cookie` header. The value is percent-encoded, so it may be any well-formed string.
 *
 * @throws ConfigurationError for a name, path, age or combination that browsers would refuse
 *
 * @example
 * headers.append('set-cookie', serializeCookie(cookieName('session', secure), token, { secure, maxAge: 86400 }))
 */
export function serializeCookie(name: string, value: string, options: CookieOptions): string {
  const { secure, httpOnly = true, sameSite = 'lax', path = '/', maxAge } = options
  if (!NAME.test(name))
    throw new ConfigurationError('cookie', 'must be a cookie name of letters, digits, - and _', name)
  if (!PATH.test(path)) throw new ConfigurationError('cookie path', 'must begin with / and have no ; in it', path)
  if (maxAge !== undefined && !Number.isSafeInteger(maxAge)) {
    throw new ConfigurationError('cookie maxAge', 'must be a whole number of seconds', maxAge)
  }
  if (/^__(host|secure)-/i.test(name) && !secure) {
    throw new ConfigurationError('cookie', 'with a __Host- or __Secure- prefix needs secure: true', name)
  }
  if (/^__host-/i.test(name) && path !== '/') {
    throw new ConfigurationError('cookie path', 'must be / for a __Host- cookie', path)
  }
  if (sameSite === 'none' && !secure) throw new ConfigurationError('cookie sameSite', '"none" needs secure: true')
  return [
    `${name}=${encodeURIComponent(value)}`,
    `Path=${path}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(secure ? ['Secure'] : []),
    `SameSite=${SAME_SITE[sameSite]}`,
  ].join('; ')
}

/**
 * The name under which a cookie is set and read: `__Host-` on https, where browsers then refuse it from anybody but
 * this very host, and the plain name on http, where they would refuse the prefix.
 *
 * @param base plain name, for example `quillgate_csrf`
 */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base
}

function decode(value: string): string {
  const bare = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
  try {
    return decodeURIComponent(bare)
  } catch {
    return bare
  }
}

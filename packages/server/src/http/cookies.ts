import { ConfigurationError } from '../core/errors.ts'

/** The attributes that most cookies have. */
export const COOKIE_DEFAULTS = { httpOnly: true, sameSite: 'lax', path: '/' } as const

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
  /**
   * Seconds to live; 0 deletes the cookie. Without it the cookie ends with the browser's session.
   */
  readonly maxAge?: number
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/ // token, RFC 9110 §5.6.2
const PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/ // av-octet, RFC 6265 §4.1.1
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' }

/**
 * Reads a `Cookie` header (RFC 6265 §5.4). Names that are no tokens are left out. Of two cookies
 * with one name the first counts, which is the one with the longer path. Two cookies with one
 * `__Host-` name are both ignored, because browsers send only one. Values are percent-decoded if
 * possible.
 *
 * @example
 * parseCookies(request.headers.get('cookie')).get('session')
 */
export function parseCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  const doubtful = new Set<string>()
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    const name = strip(pair.slice(0, Math.max(0, equals)))
    if (!NAME.test(name)) continue
    if (!cookies.has(name)) cookies.set(name, decode(strip(pair.slice(equals + 1))))
    else if (/^__host-/i.test(name)) doubtful.add(name)
  }
  for (const name of doubtful) cookies.delete(name)
  return cookies
}

/**
 * Writes a `Set-Cookie` header. The value is percent-encoded, so it may be any well-formed string.
 *
 * @throws ConfigurationError for a name, path, age or combination that browsers would refuse
 */
export function serializeCookie(name: string, value: string, options: CookieOptions): string {
  const { secure, httpOnly, sameSite, path, maxAge } = { ...COOKIE_DEFAULTS, ...options }
  if (!NAME.test(name))
    throw new ConfigurationError(
      'cookie',
      'must be a cookie name of letters, digits, - and _',
      name,
    )
  if (!PATH.test(path))
    throw new ConfigurationError('cookie path', 'must begin with / and have no ; in it', path)
  if (maxAge !== undefined && !Number.isSafeInteger(maxAge)) {
    throw new ConfigurationError('cookie maxAge', 'must be a whole number of seconds', maxAge)
  }
  if (/^__(host|secure)-/i.test(name) && !secure) {
    throw new ConfigurationError(
      'cookie',
      'with a __Host- or __Secure- prefix needs secure: true',
      name,
    )
  }
  if (/^__host-/i.test(name) && path !== '/') {
    throw new ConfigurationError('cookie path', 'must be / for a __Host- cookie', path)
  }
  if (sameSite === 'none' && !secure)
    throw new ConfigurationError('cookie sameSite', '"none" needs secure: true')
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
 * Returns the full name of a cookie. On https, it begins with `__Host-`, which browsers accept from
 * this host only. On http, they would refuse it.
 *
 * @param base plain name, for example `quillgate_csrf`
 */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base
}

/**
 * Removes spaces and tabs around a text. `trim()` removes more: a planted `\xA0__Host-x` would
 * become `__Host-x`.
 */
function strip(text: string): string {
  const isBlank = (index: number): boolean => text[index] === ' ' || text[index] === '\t'
  let start = 0
  let end = text.length
  while (isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return text.slice(start, end)
}

function decode(value: string): string {
  const bare =
    value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
  try {
    return decodeURIComponent(bare)
  } catch {
    return bare
  }
}

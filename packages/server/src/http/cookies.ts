const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/ // token, RFC 9110 §5.6.2

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

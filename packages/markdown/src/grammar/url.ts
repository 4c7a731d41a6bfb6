// Any https base: a relative URL takes its scheme, as it takes the page's in a browser.
const relativeScheme = 'https'
const base = `${relativeScheme}://relative.invalid/`

/**
 * Parses a URL as a browser does, which drops tabs and line feeds inside it and control characters around it
 * (https://url.spec.whatwg.org/). A relative URL is read against an https page.
 *
 * @param value - the attribute's value, entities decoded
 * @returns null when a browser would refuse it
 */
export function parseUrl(value: string): URL | null {
  try {
    return new URL(value, base)
  } catch {
    return null
  }
}

/**
 * Whether a value is a host name in full, as a browser writes it, with a port that is not the default one.
 */
export function isHost(value: string): boolean {
  return /^[\w.:[\]-]+$/.test(value) && parseUrl(`https://${value}/`)?.host === value
}

/**
 * Says whether a browser that follows a URL uses one of these schemes. Relative URLs count as https. Only the scheme is
 * judged, not whether the rest is a URL: browsers and Node do not agree on that for odd hosts.
 *
 * @param value - the attribute's value, entities decoded
 * @param schemes - names in lower case without the colon
 */
export function hasScheme(value: string, schemes: ReadonlySet<string>): boolean {
  return schemes.has(schemeOf(value) ?? relativeScheme)
}

const colon = 0x3a
const space = 0x20

/**
 * Reads the scheme of a URL, in lower case, as a browser does: it drops what stands before it up to the space, and tabs
 * and line breaks anywhere.
 *
 * @returns null for a relative URL
 * @see https://url.spec.whatwg.org/#scheme-start-state
 */
export function schemeOf(value: string): string | null {
  let position = 0
  while (value.charCodeAt(position) <= space) position++
  let scheme = ''
  for (; position < value.length; position++) {
    const code = value.charCodeAt(position)
    if (code === 0x09 || code === 0x0a || code === 0x0d) continue
    if (code === colon) return scheme === '' ? null : scheme
    if (!isLetter(code) && (scheme === '' || !continuesScheme(code))) return null
    scheme += value.charAt(position).toLowerCase()
  }
  return null
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

// A digit, `+`, `-` or `.`.
function continuesScheme(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e
}

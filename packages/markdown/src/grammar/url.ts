import { isDigit, isLetter } from './characters.ts'

// Relative URLs are resolved against an https page.
const relativeScheme = 'https'
const base = `${relativeScheme}://relative.invalid/`

/**
 * Parses a URL as a browser does on an https page.
 *
 * @param value - the value of an attribute, with character references decoded
 * @returns null if a browser would reject it
 * @see https://url.spec.whatwg.org/
 */
export function parseUrl(value: string): URL | null {
  try {
    return new URL(value, base)
  } catch {
    return null
  }
}

/**
 * Whether a value is a full host name as browsers write it, with or without a port other than 443.
 */
export function isHost(value: string): boolean {
  return /^[\w.:[\]-]+$/.test(value) && parseUrl(`https://${value}/`)?.host === value
}

/**
 * Whether a browser uses one of the given schemes when it follows a URL. A relative URL counts as
 * https. The rest of the URL is not checked, because browsers and Node disagree about unusual
 * hosts.
 *
 * @param value - the value of an attribute, with character references decoded
 * @param schemes - names in lower case, without the colon
 */
export function hasScheme(value: string, schemes: ReadonlySet<string>): boolean {
  return schemes.has(schemeOf(value) ?? relativeScheme)
}

const colon = 0x3a
const space = 0x20

/**
 * Returns the scheme of a URL in lower case. Like browsers, it ignores control characters and
 * spaces at the start, and tabs and line breaks anywhere.
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

// A digit, `+`, `-` or `.`.
function continuesScheme(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e
}

// Relative URLs are resolved against an https page.
const relativeScheme = 'https'
const base = `${relativeScheme}://relative.invalid/`
// In a URL, browsers ignore leading control characters and spaces, and all tabs and line breaks.
const scheme = /^[\0- ]*([a-z][a-z0-9+.\t\n\r-]*):/i

/** Parses a URL like a browser on an https page. If a browser would reject it, returns null. */
export function parseUrl(value: string): URL | null {
  return URL.parse(value, base)
}

/** Returns true for a full host name, spelled as in `URL.host`: with the port if it is not 443. */
export function isHost(value: string): boolean {
  return /^[\w.:[\]-]+$/.test(value) && parseUrl(`https://${value}/`)?.host === value
}

/**
 * Returns true if the scheme of a decoded URL is in the set. A relative URL counts as https. Does
 * not check the rest of the URL, because browsers and Node parse unusual hosts differently.
 */
export function hasScheme(value: string, schemes: ReadonlySet<string>): boolean {
  return schemes.has(schemeOf(value) ?? relativeScheme)
}

/**
 * Returns the scheme of a URL in lower case. For a relative URL, returns null.
 *
 * @see https://url.spec.whatwg.org/#scheme-start-state
 */
export function schemeOf(value: string): string | null {
  const written = scheme.exec(value)?.[1]
  return written === undefined ? null : written.replace(/[\t\n\r]+/g, '').toLowerCase()
}

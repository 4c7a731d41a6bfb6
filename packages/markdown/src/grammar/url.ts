// Relative URLs are resolved against an https page.
const relativeScheme = 'https'
const base = `${relativeScheme}://relative.invalid/`
// Browsers ignore control characters and spaces at the start, and tabs and line breaks anywhere.
const scheme = /^[\0- ]*([a-z][a-z0-9+.\t\n\r-]*):/i

/** Parses a URL as a browser does on an https page; null if a browser would reject it. */
export function parseUrl(value: string): URL | null {
  return URL.parse(value, base)
}

/** Whether a value is a full host name as browsers write it, with the port if it is not 443. */
export function isHost(value: string): boolean {
  return /^[\w.:[\]-]+$/.test(value) && parseUrl(`https://${value}/`)?.host === value
}

/**
 * Whether a browser uses one of the schemes for a decoded URL. A relative URL counts as https. The
 * rest of the URL is not checked, because browsers and Node disagree about unusual hosts.
 */
export function hasScheme(value: string, schemes: ReadonlySet<string>): boolean {
  return schemes.has(schemeOf(value) ?? relativeScheme)
}

/**
 * Returns the scheme of a URL in lower case; null for a relative URL.
 *
 * @see https://url.spec.whatwg.org/#scheme-start-state
 */
export function schemeOf(value: string): string | null {
  const written = scheme.exec(value)?.[1]
  return written === undefined ? null : written.replace(/[\t\n\r]+/g, '').toLowerCase()
}

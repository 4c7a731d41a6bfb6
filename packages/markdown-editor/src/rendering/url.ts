// Any https base: a relative URL takes its scheme, as it takes the page's in a browser.
const base = 'https://relative.invalid/'

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
 * Says whether a browser that follows a URL uses one of these schemes. Relative URLs count as https.
 *
 * @param value - the attribute's value, entities decoded
 * @param schemes - names in lower case without the colon
 */
export function hasScheme(value: string, schemes: ReadonlySet<string>): boolean {
  const url = parseUrl(value)
  return url !== null && schemes.has(url.protocol.slice(0, -1))
}

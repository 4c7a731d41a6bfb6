/**
 * Puts an origin together from parts that a request claims, in its normal spelling (lower case, no
 * default port).
 *
 * @param scheme with its colon, for example `https:`
 * @param host host and perhaps port; anything that would change another part of a URL is refused
 * @returns null when they make no origin
 */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host) || !URL.canParse(`${scheme}//${host}`))
    return null
  return new URL(`${scheme}//${host}`).origin
}

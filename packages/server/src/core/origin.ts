/**
 * Builds an origin from the scheme and the host of a request. The result is normalized (lower case,
 * no default port).
 *
 * @param scheme with its colon, for example `https:`
 * @param host host with an optional port; text that would change another part of the URL is
 * rejected
 * @returns null if the parts are not a valid origin
 */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host) || !URL.canParse(`${scheme}//${host}`))
    return null
  return new URL(`${scheme}//${host}`).origin
}

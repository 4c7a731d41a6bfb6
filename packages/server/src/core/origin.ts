/** Returns null if a host is invalid or contains other parts of a URL. @param scheme with colon */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host) || !URL.canParse(`${scheme}//${host}`))
    return null
  return new URL(`${scheme}//${host}`).origin
}

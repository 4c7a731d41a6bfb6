/** Returns null for a host that would change another part of the URL. @param scheme with colon */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host) || !URL.canParse(`${scheme}//${host}`))
    return null
  return new URL(`${scheme}//${host}`).origin
}

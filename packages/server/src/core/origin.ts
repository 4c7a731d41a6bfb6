/** Returns the origin. Null if `host` is more than a name and a port. @param scheme `https:` */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host)) return null
  return URL.parse(`${scheme}//${host}`)?.origin ?? null
}

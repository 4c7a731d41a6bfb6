/** Returns the origin. If `host` contains more than name and port, null. @param scheme `https:` */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host)) return null
  return URL.parse(`${scheme}//${host}`)?.origin ?? null
}

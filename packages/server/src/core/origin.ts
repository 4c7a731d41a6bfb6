/** Returns the origin. If `host` contains more than name and port, null. @param scheme `https:` */
export function toOrigin(scheme: string, host: string | null): string | null {
  if (host === null || !/^[^\s/\\?#@]+$/.test(host) || !URL.canParse(`${scheme}//${host}`))
    return null
  return new URL(`${scheme}//${host}`).origin
}

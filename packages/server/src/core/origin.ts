import { ConfigurationError } from './errors.ts'

/**
 * Puts an origin together from parts that a request claims, in its normal spelling (lower case, no default port).
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

/**
 * Checks an origin of the configuration.
 *
 * @param name of the option
 * @returns its normal spelling
 * @throws ConfigurationError
 */
export function parseOrigin(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (
    !url ||
    !isWeb ||
    url.host.includes('*') ||
    url.username !== '' ||
    url.password !== '' ||
    `${url.origin}/` !== url.href
  ) {
    throw new ConfigurationError(
      name,
      'must be an origin such as "https://example.com", without a path',
      value,
    )
  }
  return url.origin
}

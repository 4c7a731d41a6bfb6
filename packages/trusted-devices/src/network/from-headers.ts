import { ConfigurationError } from '@quillgate/http'
import type { Locator } from './location.ts'

/** Names of the headers that {@link fromHeaders} reads. */
export interface HeaderNames {
  /** Carries the city, for example `cf-ipcity`. */
  readonly city?: string
}

/**
 * Takes the place of a login from headers that a trusted proxy sets (option `trustedProxies`). Headers from anybody
 * else are ignored.
 *
 * @param country header with an ISO 3166-1 alpha-2 code, for example `cf-ipcountry`
 * @throws ConfigurationError when a name is no header name
 *
 * @example
 * createTrustedDevices({ …, trustedProxies: ['173.245.48.0/20'], locate: fromHeaders('cf-ipcountry') })
 */
export function fromHeaders(country: string, { city }: HeaderNames = {}): Locator {
  for (const name of city === undefined ? [country] : [country, city]) {
    if (typeof name !== 'string' || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
      throw new ConfigurationError('fromHeaders', 'needs the name of a header, for example "cf-ipcountry"', name)
    }
  }
  return {
    locate({ isFromTrustedProxy, context: { request } }) {
      if (!isFromTrustedProxy) return null
      return { country: request.headers.get(country), city: city === undefined ? null : readUtf8(request, city) }
    },
  }
}

/** Headers are Latin-1 to JavaScript; proxies send city names in UTF-8. */
function readUtf8(request: Request, name: string): string | null {
  const value = request.headers.get(name)
  if (value === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

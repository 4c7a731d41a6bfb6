import { checks, type Input, logOnce, optional, parse, required } from '@quillgate/server/core'
import { toCountryCode } from './countries.ts'
import type { Locator } from './location.ts'

const header = checks.matching(
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
  'must be the name of a header, for example "cf-ipcountry"',
)
const HEADERS = {
  country: required(header),
  /** Carries the city, for example `cf-ipcity`. */
  city: optional(header),
}

/** Names of the headers that {@link fromHeaders} reads. */
export type HeaderNames = Omit<Input<typeof HEADERS>, 'country'>

/**
 * Takes the place of a login from headers that a trusted proxy sets. Headers of any other peer are
 * ignored, and logged once.
 *
 * @param country header with an ISO 3166-1 alpha-2 code, for example `cf-ipcountry`
 * @throws ConfigurationError if a name is no header name, and from `createTrustedDevices` without
 * `trustedProxies`
 *
 * @example
 * createTrustedDevices({ …, trustedProxies: ['173.245.48.0/20'], locate: fromHeaders('cf-ipcountry') })
 */
export function fromHeaders(country: string, options: HeaderNames = {}): Locator {
  const { city } = parse(HEADERS, { ...options, country }, 'fromHeaders')
  let warn = logOnce(console)
  return {
    needsTrustedProxies: true,
    async ready({ logger }) {
      warn = logOnce(logger)
    },
    locate({ isFromTrustedProxy, context: { request, address } }) {
      if (!isFromTrustedProxy) {
        if (request.headers.has(country)) {
          warn(
            `A login brought the header ${country}, but ${address ?? 'an unknown address'}, which sent it, is not in trustedProxies: its place is unknown. ` +
              'If that is your proxy, add its address (on the same machine "127.0.0.1/32" and "::1/128"); else somebody made the header up.',
          )
        }
        return null
      }
      const code = toCountryCode(request.headers.get(country))
      const name = city === undefined ? null : request.headers.get(city)
      // Headers are Latin-1 to JavaScript; proxies send city names in UTF-8.
      return { country: code, city: name && Buffer.from(name, 'latin1').toString() }
    },
  }
}

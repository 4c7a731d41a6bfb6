import { checks, type Input, optional, parse, required } from '@quillgate/server/core'

const header = checks.matching(
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
  'must be the name of a header, for example "cf-ipcountry"',
)
const HEADERS = {
  country: required(header),
  /** Carries the city, for example `cf-ipcity`. */
  city: optional(header),
}

/** The headers with the place of a login. */
export class PlaceHeaders {
  readonly country: string
  readonly city: string | undefined

  /** Applications use {@link fromHeaders}. */
  constructor(country: string, city: string | undefined) {
    this.country = country
    this.city = city
  }
}

/**
 * Takes the place of a login from headers that a trusted proxy sets. Headers of any other peer are
 * ignored, and logged once.
 *
 * @param country header with an ISO 3166-1 alpha-2 code, for example `cf-ipcountry`
 * @throws ConfigurationError if a name is no header name, and from `createTrustedDevices` without
 * `trustedProxies`
 *
 * @example
 * createTrustedDevices(gate, { users, locate: fromHeaders('cf-ipcountry') })
 */
export function fromHeaders(
  country: string,
  options: Omit<Input<typeof HEADERS>, 'country'> = {},
): PlaceHeaders {
  const { city } = parse(HEADERS, { ...options, country }, 'fromHeaders')
  return new PlaceHeaders(country, city)
}

import { checks, type Input, optional, parse, required } from '@quillgate/server/core'

const header = checks.matching(
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
  'must be the name of a header, for example "cf-ipcountry"',
)
const HEADERS = {
  country: required(header),
  /** The name of the header that contains the city, for example `cf-ipcity`. */
  city: optional(header),
}

/** The names of the headers that contain the place of a login. */
export class PlaceHeaders {
  readonly country: string
  readonly city: string | undefined

  /** Applications call {@link fromHeaders} instead. */
  constructor(country: string, city: string | undefined) {
    this.country = country
    this.city = city
  }
}

/**
 * Creates a value for the option `locate`. The place of a login is then read from headers that a
 * trusted proxy sets. Headers from other senders are ignored, and a warning is logged once.
 *
 * @param country the name of the header with an ISO 3166-1 alpha-2 code, for example `cf-ipcountry`
 * @throws ConfigurationError if a name is not a valid header name. `createTrustedDevices` also
 * throws this error if the option `trustedProxies` is missing.
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

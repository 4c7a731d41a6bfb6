import {
  type Input,
  type Logger,
  matching,
  optional,
  parse,
  required,
} from '@quillgate/server/core'
import { toCountryCode } from './countries.ts'
import type { Locator } from './location.ts'

const header = matching(
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

const PAUSE = 3_600_000 // Milliseconds between warnings: anybody can send the header.

/**
 * Takes the place of a login from headers that a trusted proxy sets. Headers from anybody else are
 * ignored, and told to the logger once an hour.
 *
 * @param country header with an ISO 3166-1 alpha-2 code, for example `cf-ipcountry`
 * @throws ConfigurationError when a name is no header name, and from `createTrustedDevices` without
 * `trustedProxies`
 *
 * @example
 * createTrustedDevices({ …, trustedProxies: ['173.245.48.0/20'], locate: fromHeaders('cf-ipcountry') })
 */
export function fromHeaders(country: string, options: HeaderNames = {}): Locator {
  const { city } = parse(HEADERS, { ...options, country }, 'fromHeaders')
  let logger: Pick<Logger, 'warn'> = console
  let warnedAt = Number.NEGATIVE_INFINITY
  const warn = (address: string | undefined): void => {
    const now = performance.now()
    if (now - warnedAt < PAUSE) return
    warnedAt = now
    logger.warn(
      `A login brought the header ${country}, but ${address ?? 'an unknown address'}, which sent it, is not in trustedProxies: its place is unknown. ` +
        'If that is your proxy, add its address (on the same machine "127.0.0.1/32" and "::1/128"); else somebody made the header up.',
    )
  }
  return {
    needsTrustedProxies: true,
    async ready(start) {
      logger = start.logger
    },
    locate({ isFromTrustedProxy, context: { request, address } }) {
      if (!isFromTrustedProxy) {
        if (request.headers.has(country)) warn(address)
        return null
      }
      const code = toCountryCode(request.headers.get(country))
      return { country: code, city: city === undefined ? null : readUtf8(request, city) }
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

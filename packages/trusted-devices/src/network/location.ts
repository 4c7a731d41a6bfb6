import { type Logger, logOnce, withTimeout } from '@quillgate/server/core'
import type { Network, RequestContext } from '@quillgate/server/http'
import { stripControlCharacters } from './control-characters.ts'
import { toCountry, toCountryCode } from './countries.ts'
import type { PlaceHeaders } from './from-headers.ts'

/** The place of a login. */
export interface Location {
  readonly city: string | null
  /** ISO 3166-1 alpha-2 in upper case, or another text that the look-up returned. */
  readonly country: string | null
}

/** The result of a look-up. Null: the place is unknown. */
export type LocateAnswer =
  | {
      /**
       * Any text, compared exactly. An ISO 3166-1 alpha-2 code is best: lists and mails show its
       * name in the language of the user. Null: unknown.
       */
      readonly country: string | null
      readonly city?: string | null
    }
  | null
  | undefined

/**
 * Finds the place of a public address. Its signal is aborted when the time for the answer is over.
 */
export type LocateFunction = (
  address: string,
  context: RequestContext,
  options: { readonly signal: AbortSignal },
) => LocateAnswer | Promise<LocateAnswer>

/** The options of {@link createLocate}. */
export interface LocateOptions {
  readonly locate: LocateFunction | PlaceHeaders | undefined
  readonly network: Network
  /** Seconds. */
  readonly timeout: number
  /** Gets failures, and once an answer that has no country where it should. */
  readonly logger: Logger
}

/** Finds where a request comes from. Never rejects. */
export type Locate = (context: RequestContext) => Promise<Location>

const UNKNOWN: Location = { city: null, country: null }
const MAX_CITY = 100

/** Creates the one function that finds the place of a login. */
export function createLocate({ locate, network, timeout, logger }: LocateOptions): Locate {
  const warnOnce = logOnce(logger)
  if (locate === undefined) return async () => UNKNOWN
  if (typeof locate !== 'function') {
    return async (context) =>
      readHeaders(locate, network.isFromTrustedProxy(context), context, warnOnce)
  }
  return async (context) => {
    const address = network.publicAddress(context)
    if (address === null) return UNKNOWN
    try {
      const signal = AbortSignal.timeout(Math.ceil(timeout * 1000))
      const asked = (async () => locate(address, context, { signal }))()
      const found = await withTimeout(timeout, asked, () => {
        throw new Error(`The location was not found within ${timeout} s.`)
      })
      const problem = problemOf(found)
      if (problem !== null) warnOnce(problem)
      return toLocation(found)
    } catch (error) {
      logger.warn('The location of a login is unknown, because the lookup failed.', error)
      return UNKNOWN
    }
  }
}

/** Reads the headers of a trusted proxy. Anybody else may have made them up. */
function readHeaders(
  { country, city }: PlaceHeaders,
  isFromTrustedProxy: boolean,
  { request: { headers }, address }: RequestContext,
  warnOnce: (message: string) => void,
): Location {
  if (isFromTrustedProxy) {
    const name = city === undefined ? null : headers.get(city)
    return {
      country: toCountryCode(headers.get(country)),
      // Headers are Latin-1 to JavaScript. Proxies send city names in UTF-8.
      city: toCity(name && Buffer.from(name, 'latin1').toString()),
    }
  }
  if (headers.has(country)) {
    warnOnce(
      `A login brought the header ${country}, but ${address ?? 'an unknown address'}, which sent it, is not in trustedProxies: its place is unknown. ` +
        'If that is your proxy, add its address (on the same machine "127.0.0.1/32" and "::1/128"); else somebody made the header up.',
    )
  }
  return UNKNOWN
}

/** Reads the result of a lookup. A city or country that cannot be read is null. */
export function toLocation(found: unknown): Location {
  if (typeof found !== 'object' || found === null) return UNKNOWN
  const { city, country } = found as Record<string, unknown>
  return { city: toCity(city), country: typeof country === 'string' ? toCountry(country) : null }
}

/** Returns what is wrong with the result of a look-up, or null. */
function problemOf(found: unknown): string | null {
  if (found === null || found === undefined) return null
  const { country } = found as { readonly country?: unknown }
  const isUnknown = typeof found === 'object' && 'country' in found && (country ?? null) === null
  if (typeof country === 'string' || isUnknown) return null
  return (
    `locate returned ${shapeOf(found)}, which has no country. Return { country, city }, where country is text, best an ` +
    'ISO 3166-1 alpha-2 code such as "DE", or null if it is unknown. ' +
    'Until then the country of these logins is unknown, and suspicious_login is not sent for them.'
  )
}

const SHOWN_MEMBERS = 8

/** Returns for example `{ country_code: string, city: string }`. */
function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`
  const members = Object.entries(value).map(
    ([name, member]) => `${stripControlCharacters(name.slice(0, 32))}: ${typeof member}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.slice(0, SHOWN_MEMBERS).join(', ')} }`
}

function toCity(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return stripControlCharacters(value.slice(0, MAX_CITY).toWellFormed()).trim() || null
}

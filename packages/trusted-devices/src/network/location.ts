import { type Logger, logOnce, withTimeout } from '@quillgate/server/core'
import type { Network, RequestContext } from '@quillgate/server/http'
import { stripControlCharacters } from './control-characters.ts'
import { toCountry, toCountryCode } from './countries.ts'
import type { PlaceHeaders } from './from-headers.ts'

/** The place of a login. */
export interface Location {
  readonly city: string | null
  /**
   * An ISO 3166-1 alpha-2 code in upper case, or another text that the lookup returned. Null:
   * unknown.
   */
  readonly country: string | null
}

/** The result of a lookup. Null: the place is unknown. */
export type LocateAnswer =
  | {
      /**
       * Any text. Countries are compared exactly. Prefer an ISO 3166-1 alpha-2 code, because lists
       * and mails show its name in the user's language. Null: unknown.
       */
      readonly country: string | null
      readonly city?: string | null
    }
  | null
  | undefined

/**
 * Looks up the place of a public IP address. If the lookup takes too long, `options.signal` is
 * aborted.
 */
export type LocateFunction = (
  address: string,
  context: RequestContext,
  options: { readonly signal: AbortSignal },
) => LocateAnswer | Promise<LocateAnswer>

/** Returns the place from which a request comes. The promise never rejects. */
export type Locate = (context: RequestContext) => Promise<Location>

const UNKNOWN: Location = { city: null, country: null }
const MAX_CITY = 100

/**
 * Creates the function that finds the place of a login. If a lookup takes longer than `timeout`
 * seconds, the place is unknown.
 */
export function createLocate(
  locate: LocateFunction | PlaceHeaders | undefined,
  network: Network,
  timeout: number,
  logger: Logger,
): Locate {
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
        throw new Error(`\`locate\` did not answer within ${timeout} s. Make it faster.`)
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

/** Any client can send these headers, so only those of a trusted proxy are used. */
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
      // Node.js decodes headers as Latin-1, but proxies send city names in UTF-8.
      city: toCity(name && Buffer.from(name, 'latin1').toString()),
    }
  }
  if (headers.has(country)) {
    warnOnce(
      `A login request from ${address ?? 'an unknown address'} has the header ${country}, but this address is not in trustedProxies. The place of the login is therefore unknown. ` +
        'If it is the address of your proxy, add it. For a proxy on the same machine, add "127.0.0.1/32" and "::1/128". Otherwise, a client has forged the header.',
    )
  }
  return UNKNOWN
}

/** Reads the city and country from the result of a lookup. An invalid value becomes null. */
export function toLocation(found: unknown): Location {
  if (typeof found !== 'object' || found === null) return UNKNOWN
  const { city, country } = found as Record<string, unknown>
  return { city: toCity(city), country: typeof country === 'string' ? toCountry(country) : null }
}

/** Returns a message if the result of a lookup has no country and does not mark it as unknown. */
function problemOf(found: unknown): string | null {
  if (found === null || found === undefined) return null
  const { country } = found as { readonly country?: unknown }
  const isUnknown = typeof found === 'object' && 'country' in found && (country ?? null) === null
  if (typeof country === 'string' || isUnknown) return null
  return (
    `locate returned ${shapeOf(found)}, which has no country. Return { country, city }. The country is text, preferably an ` +
    'ISO 3166-1 alpha-2 code such as "DE", or null if it is unknown. ' +
    'Without a country, suspicious_login is not sent.'
  )
}

const SHOWN_MEMBERS = 8

/** Describes the type of a value, for example `{ country_code: string, city: string }`. */
function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`
  const properties = Object.entries(value).map(
    ([name, member]) => `${stripControlCharacters(name.slice(0, 32))}: ${typeof member}`,
  )
  return properties.length === 0 ? '{}' : `{ ${properties.slice(0, SHOWN_MEMBERS).join(', ')} }`
}

function toCity(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return stripControlCharacters(value.slice(0, MAX_CITY).toWellFormed()).trim() || null
}

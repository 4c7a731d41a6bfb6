import type { Logger, Network, RequestContext } from '@quillgate/http'
import { toCountry } from './countries.ts'
import { createLookups } from './lookups.ts'
import { isPublicAddress } from './public-address.ts'

/** Where a login came from. */
export interface Location {
  readonly city: string | null
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string | null
}

/** What a lookup may answer; what is missing or makes no sense is unknown. */
export interface FoundLocation {
  readonly city?: string | null
  readonly country?: string | null
}

/** A lookup's question. */
export interface LocationQuestion {
  /** The client's address, or null when it is unknown or not public. */
  readonly address: string | null
  /** True when a trusted proxy sent the request: only then do its headers count. */
  readonly isFromTrustedProxy: boolean
  readonly context: RequestContext
  /** Aborted when the time for the answer is over; hand it to `fetch`. */
  readonly signal: AbortSignal
}

/** What a locator gets at its start. */
export interface LocatorStart {
  /** Hears of what went wrong without failing a login. */
  readonly logger: Logger
}

/**
 * Something that knows places: a database file, a proxy's headers. `locate` answers null for an unknown place; when it
 * fails or takes too long, the place is unknown too.
 */
export interface Locator {
  locate(question: LocationQuestion): FoundLocation | null | undefined | Promise<FoundLocation | null | undefined>
  /** Checks that it can work; awaited by `ready()`, which fails when this rejects. */
  ready?(start: LocatorStart): Promise<void>
  /** Ends what `ready` began. */
  close?(): Promise<void>
  /** True: without the option `trustedProxies` it would never know a place, so that is refused. */
  readonly needsTrustedProxies?: boolean
}

/**
 * A plain function as locator. It is asked about public addresses only, and what it says counts for that address for
 * `locateCacheTtl`, also that it does not know.
 */
export type LocateFunction = (
  address: string,
  context: RequestContext,
  options: { readonly signal: AbortSignal },
) => FoundLocation | null | undefined | Promise<FoundLocation | null | undefined>

/** How {@link createLocate} works. */
export interface LocateOptions {
  readonly locator: Locator | LocateFunction | undefined
  readonly network: Network
  /** Seconds. */
  readonly timeout: number
  /** Seconds for which the answers of a function count. */
  readonly cacheTtl: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Hears of failures; the login goes on without a place. */
  readonly onError: (error: unknown) => void
}

/** Finds where a request comes from. Never rejects. */
export type Locate = (context: RequestContext) => Promise<Location>

const UNKNOWN: Location = { city: null, country: null }
const MAX_CITY = 100

/** Creates the one function that asks the configured locator, once per login and with a time limit. */
export function createLocate(options: LocateOptions): Locate {
  const { locator, network, timeout, cacheTtl, clock, onError } = options
  if (!locator) return async () => UNKNOWN
  const lookups = createLookups<Location>({ timeout, ttl: cacheTtl, clock, unknown: UNKNOWN, onError })
  return async (context) => {
    const client = network.clientAddress(context)
    const address = client !== null && isPublicAddress(client) ? client : null
    if (typeof locator === 'function') {
      if (address === null) return UNKNOWN
      return lookups.find(address, async (signal) => toLocation(await locator(address, context, { signal })))
    }
    const isFromTrustedProxy = network.isFromTrustedProxy(context)
    return lookups.find(null, async (signal) =>
      toLocation(await locator.locate({ address, isFromTrustedProxy, context, signal })),
    )
  }
}

/** Cleans what a lookup answered: countries are codes of ISO 3166-1 in upper case, cities are short and printable. */
export function toLocation(found: unknown): Location {
  if (typeof found !== 'object' || found === null) return UNKNOWN
  const { city, country } = found as Record<string, unknown>
  return { city: toCity(city), country: toCountry(country) }
}

function toCity(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return (
    value
      .slice(0, MAX_CITY)
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim() || null
  )
}

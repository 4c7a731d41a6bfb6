import type { Network, RequestContext } from '@quillgate/http'
import { toCountry } from './countries.ts'
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
}

/**
 * Something that knows places: a database file, a proxy's headers. `locate` answers null for an unknown place; when it
 * fails or takes too long, the place is unknown too.
 */
export interface Locator {
  locate(question: LocationQuestion): FoundLocation | null | undefined | Promise<FoundLocation | null | undefined>
  /** Checks that it can work; awaited by `ready()`, which fails when this rejects. */
  ready?(): Promise<void>
  /** Ends what `ready` began. */
  close?(): Promise<void>
}

/** A plain function as locator. It is asked about public addresses only. */
export type LocateFunction = (
  address: string,
  context: RequestContext,
) => FoundLocation | null | undefined | Promise<FoundLocation | null | undefined>

/** How {@link createLocate} works. */
export interface LocateOptions {
  readonly locator: Locator | LocateFunction | undefined
  readonly network: Network
  /** Seconds. */
  readonly timeout: number
  /** Hears of failures; the login goes on without a place. */
  readonly onError: (error: unknown) => void
}

/** Finds where a request comes from. Never rejects. */
export type Locate = (context: RequestContext) => Promise<Location>

const UNKNOWN: Location = { city: null, country: null }
const MAX_CITY = 100

/** Creates the one function that asks the configured locator, once per login and with a time limit. */
export function createLocate({ locator, network, timeout, onError }: LocateOptions): Locate {
  if (!locator) return async () => UNKNOWN
  const ask = typeof locator === 'function' ? fromFunction(locator) : locator
  return async (context) => {
    const address = network.clientAddress(context)
    const question = {
      address: address !== null && isPublicAddress(address) ? address : null,
      isFromTrustedProxy: network.isFromTrustedProxy(context),
      context,
    }
    try {
      return toLocation(await within(timeout, async () => ask.locate(question)))
    } catch (error) {
      onError(error)
      return UNKNOWN
    }
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

function fromFunction(locate: LocateFunction): Locator {
  return { locate: ({ address, context }) => (address === null ? null : locate(address, context)) }
}

async function within<Result>(seconds: number, work: () => Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`The location was not found within ${seconds} s.`)), seconds * 1000)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

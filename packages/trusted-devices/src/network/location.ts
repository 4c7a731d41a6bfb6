import { type Logger, logOnce } from '@quillgate/server/core'
import type { Network, RequestContext } from '@quillgate/server/http'
import { stripControlCharacters } from './control-characters.ts'
import { toCountry } from './countries.ts'
import { Lookups } from './lookups.ts'
import { isPublicAddress } from './public-address.ts'

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

/**
 * Something that knows places: a database file, a proxy's headers. `locate` answers null for an
 * unknown place; when it fails or takes too long, the place is unknown too.
 */
export interface Locator {
  locate(question: LocationQuestion): LocateAnswer | Promise<LocateAnswer>
  /**
   * Checks that it can work; awaited by `ready()`, which fails when this rejects. The logger gets
   * failures that do not fail a login.
   */
  ready?(start: { readonly logger: Logger }): Promise<void>
  /** True: without the option `trustedProxies` it would never know a place, so that is refused. */
  readonly needsTrustedProxies?: boolean
}

/**
 * A function that finds the place of a public address. Its answer is cached for 60 s, also if it is
 * unknown.
 */
export type LocateFunction = (
  address: string,
  context: RequestContext,
  options: { readonly signal: AbortSignal },
) => LocateAnswer | Promise<LocateAnswer>

/** The options of {@link createLocate}. */
export interface LocateOptions {
  readonly locator: Locator | LocateFunction | undefined
  readonly network: Network
  /** Seconds. */
  readonly timeout: number
  /** Seconds for which the answers of a function count. */
  readonly cacheTtl: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Gets failures, and once an answer that has no country where it should. */
  readonly logger: Logger
}

/** Finds where a request comes from. Never rejects. */
export type Locate = (context: RequestContext) => Promise<Location>

const UNKNOWN: Location = { city: null, country: null }
const MAX_CITY = 100

/**
 * Creates the one function that asks the configured locator, once per login and with a time limit.
 */
export function createLocate(options: LocateOptions): Locate {
  const { locator, network, timeout, cacheTtl, clock, logger } = options
  if (!locator) return async () => UNKNOWN
  const lookups = new Lookups<Location>({
    timeout,
    ttl: cacheTtl,
    clock,
    unknown: UNKNOWN,
    onError: (error) =>
      logger.warn('The location of a login is unknown, because the lookup failed.', error),
  })
  const warnOnce = logOnce(logger)
  const read = (found: unknown): Location => {
    const problem = problemOf(found)
    if (problem !== null) warnOnce(problem)
    return toLocation(found)
  }
  return async (context) => {
    const client = network.clientAddress(context)
    const address = client !== null && isPublicAddress(client) ? client : null
    if (typeof locator === 'function') {
      if (address === null) return UNKNOWN
      return lookups.find(address, async (signal) =>
        read(await locator(address, context, { signal })),
      )
    }
    const isFromTrustedProxy = network.isFromTrustedProxy(context)
    return lookups.find(null, async (signal) =>
      read(await locator.locate({ address, isFromTrustedProxy, context, signal })),
    )
  }
}

/** Reads the result of a look-up. What is no place, or has nothing to read, is unknown. */
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

import { isQuillgateError } from '@quillgate/server/core'
import {
  type AddressLimit,
  addressNetwork,
  type Network,
  type Rate,
  type RateLimiter,
  type RequestContext,
  timesRate,
} from '@quillgate/server/http'

// The limit of an account is the limit of an address times this factor. An attacker therefore needs
// this many addresses to lock unknown browsers out of an account.
const WIDE_LIMIT_FACTOR = 20

// Each IPv6 /64 network is limited like one address. The larger networks below are also limited.
// Otherwise, a site with twenty /64 networks could use the limits of twenty addresses.
const SITES = [
  { bits: 48, times: 4 },
  { bits: 56, times: 2 },
] as const

/** Multiplies a rate by {@link WIDE_LIMIT_FACTOR}, for example to get the limit of an account. */
export function wideRate(rate: Rate | null): Rate | null {
  return timesRate(rate, WIDE_LIMIT_FACTOR)
}

/** A key whose requests are counted, and its maximum rate. Null: no limit. */
export type RateLimit = readonly [key: string, rate: Rate | null]

/** Counts requests against a rate and its multiples. */
export class RateLimits {
  readonly rate: Rate | null
  readonly #limiter: RateLimiter
  readonly #network: Network

  constructor(rate: Rate | null, limiter: RateLimiter, network: Network) {
    this.rate = rate
    this.#limiter = limiter
    this.#network = network
  }

  ofAddress(context: RequestContext): AddressLimit {
    return this.#network.addressLimit(context, this.rate)
  }

  /**
   * Counts a request against several limits, one after the other. If a limit is exceeded, subtracts
   * the request from the earlier limits again and throws `rate_limited`.
   */
  async consume(...limits: readonly RateLimit[]): Promise<void> {
    for (const [index, [key, rate]] of limits.entries()) {
      try {
        await this.#limiter.consume(key, rate)
      } catch (error) {
        await this.forgive(...limits.slice(0, index))
        throw error
      }
    }
  }

  /** Subtracts a request from several limits. */
  async forgive(...limits: readonly RateLimit[]): Promise<void> {
    for (const [key, rate] of limits) await this.#limiter.forgive(key, rate)
  }
}

/**
 * Returns the limits of an address. For IPv6, also returns the limits of the larger networks that
 * contain the address. The largest network comes first, because {@link RateLimits.consume} stops at
 * an exceeded limit. So if a network exceeds its limit, no more keys are stored for its addresses.
 */
export function addressLimits(use: string, { address, key, rate }: AddressLimit): RateLimit[] {
  const own: RateLimit = [`${use}:address:${key}`, rate]
  if (!key.endsWith('/64')) return [own] // IPv4 or unknown.
  const sites = SITES.map(({ bits, times }): RateLimit => {
    const site = addressNetwork(String(address), { ipv4: 32, ipv6: bits })
    return [`${use}:site:${site}`, timesRate(rate, times)]
  })
  return [...sites, own]
}

/** Returns false if `consumed` fails with `rate_limited`. Rethrows any other error. */
export async function isWithin(consumed: Promise<void>): Promise<boolean> {
  try {
    await consumed
    return true
  } catch (error) {
    if (isQuillgateError(error) && error.code === 'rate_limited') return false
    throw error
  }
}

/**
 * Returns the key for counting failed logins of an account. An application may find one account by
 * several spellings, which differ in case, accents, width or spaces. All these spellings have the
 * same key.
 */
export function accountKey(username: string): string {
  const plain = username.slice(0, 1024).normalize('NFKD').toLowerCase()
  return plain.replace(/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '').slice(0, 255)
}

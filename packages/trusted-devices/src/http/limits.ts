import { isQuillgateError } from '@quillgate/server/core'
import {
  type AddressLimit,
  addressNetwork,
  type Rate,
  type RateLimiter,
  timesRate,
} from '@quillgate/server/http'

/**
 * The limit of an account as a multiple of the limit of one address or device. So many addresses
 * must cooperate to lock an account for unknown browsers.
 */
export const OTHERS = 20

/**
 * The IPv6 networks of a site, and how many times the rate of one /64 each of them gets. Twenty /64
 * of one site must not count like twenty addresses.
 */
const SITES = [
  { bits: 48, times: 4 },
  { bits: 56, times: 2 },
] as const

/** A key whose requests are counted, and how many are allowed; null: no limit. */
export type Limit = readonly [key: string, rate: Rate | null]

/**
 * Counts a request for several limits. If one refuses it, subtracts it from those that counted it.
 *
 * @throws QuillgateError 429 `rate_limited`
 */
export async function consumeAll(limiter: RateLimiter, limits: readonly Limit[]): Promise<void> {
  for (const [index, [key, rate]] of limits.entries()) {
    try {
      await limiter.consume(key, rate)
    } catch (error) {
      await forgiveAll(limiter, limits.slice(0, index))
      throw error
    }
  }
}

/** Subtracts a request from several limits. */
export async function forgiveAll(limiter: RateLimiter, limits: readonly Limit[]): Promise<void> {
  for (const [key, rate] of limits) await limiter.forgive(key, rate)
}

/**
 * Returns the limits of an address and, for IPv6, of the networks around it. The widest network
 * comes first: if it refuses, no keys for its many addresses are created. One busy /64 does not use
 * up the limit of its site.
 *
 * @param use the kind of request; each kind has its own limits
 */
export function addressLimits(use: string, { address, key, rate }: AddressLimit): Limit[] {
  const own: Limit = [`${use}:address:${key}`, rate]
  if (!key.endsWith('/64')) return [own] // IPv4, or unknown.
  const sites = SITES.map(({ bits, times }): Limit => {
    const site = addressNetwork(String(address), { ipv4: 32, ipv6: bits })
    return [`${use}:site:${site}`, timesRate(rate, times)]
  })
  return [...sites, own]
}

/**
 * Returns false if a limit was exceeded, instead of throwing 429 `rate_limited`.
 *
 * @param consumed the promise that `RateLimiter.consume` returned
 */
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
 * The key under which failures of an account are counted. Databases and applications find one
 * account by several spellings: they ignore case, accents, width and blanks. All of them share one
 * limit.
 *
 * @param username as it was typed
 */
export function accountKey(username: string): string {
  const plain = username.slice(0, 1024).normalize('NFKD').toLowerCase()
  return plain.replace(/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '').slice(0, 255)
}

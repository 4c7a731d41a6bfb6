import { isQuillgateError } from '@quillgate/server/core'
import {
  type AddressLimit,
  addressNetwork,
  type Rate,
  type RateLimiter,
  timesRate,
} from '@quillgate/server/http'

/**
 * How many times the rate of one address or device an account has: so many addresses must join in
 * to lock it for browsers that were never signed in to it.
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

type Limit = readonly [key: string, rate: Rate | null]

/**
 * Counts one request for its address and, for IPv6, for the networks around it. The widest network
 * comes first: if it refuses, no keys for its many addresses are created. A refused request is
 * subtracted from the limits before it, so that one busy /64 does not use up the limit of its site.
 *
 * @param use the kind of request; each kind has its own limits
 * @throws QuillgateError 429 `rate_limited`
 */
export async function consumeForStranger(
  limiter: RateLimiter,
  use: string,
  address: AddressLimit,
): Promise<void> {
  const limits = limitsOf(use, address)
  for (const [index, [key, rate]] of limits.entries()) {
    try {
      await limiter.consume(key, rate)
    } catch (error) {
      for (const [passed, limit] of limits.slice(0, index)) await limiter.forgive(passed, limit)
      throw error
    }
  }
}

function limitsOf(use: string, { address, key, rate }: AddressLimit): Limit[] {
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
 * @param consumed by `RateLimiter.consume`
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

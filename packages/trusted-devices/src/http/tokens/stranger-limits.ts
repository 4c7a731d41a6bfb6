import {
  type AddressLimit,
  addressNetwork,
  type Rate,
  type RateLimiter,
  timesRate,
} from '@quillgate/server/http'

/** What a site gets by IPv6, and how many times the rate of one /64 it has: twenty of these are not twenty addresses. */
const SITES = [
  { bits: 48, times: 4 },
  { bits: 56, times: 2 },
] as const

type Limit = readonly [key: string, rate: Rate | null]

/**
 * Counts one request for its address and, by IPv6, for the networks around it. The widest network comes first: what it
 * refuses makes no new key for each of its many addresses. What a limit refuses is taken back from those before it, so
 * that a /64 which goes on does not use up the limit of its site.
 *
 * @param use what is counted; each use has limits of its own
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

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address as `ipaddr.js` parsed it. */
export type ParsedAddress = ipaddr.IPv4 | ipaddr.IPv6

type AddressRange = readonly [ParsedAddress, number]

const IPV6_MAPPED_BITS = 96

/**
 * Reads an IP address. Converts IPv4-mapped IPv6 addresses to IPv4, and removes zones (`%eth0`).
 * Rejects octal and hexadecimal parts. `ipaddr.js` accepts them, but other parsers read them
 * differently.
 */
export function parseAddress(text: string): ParsedAddress | null {
  const bare = text.replace(/%.*$/s, '')
  return isIP(bare) === 0 ? null : ipaddr.process(bare)
}

/** Reads a CIDR range or an address. The range `::ffff:10.0.0.0/104` becomes `10.0.0.0/8`. */
export function parseRange(text: string): AddressRange | null {
  const [address = '', bits, ...rest] = text.split('/')
  const parsed = parseAddress(address)
  if (!parsed || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null
  const max = parsed.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [parsed, max]
  const mapped = max === 32 && address.includes(':')
  const length = Number(bits) - (mapped ? IPV6_MAPPED_BITS : 0)
  return length >= 0 && length <= max ? [parsed, length] : null
}

/** Returns true if one of the ranges contains the address. */
export function isInRanges(address: ParsedAddress, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits))
}

const PRIVATE = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']

/** Returns true for loopback, private, link-local and carrier-grade NAT addresses. */
export function isPrivateAddress(address: ParsedAddress): boolean {
  return PRIVATE.includes(address.range())
}

const NOT_PUBLIC = [...PRIVATE, 'unspecified', 'multicast', 'discard', 'benchmarking']

// Ranges for protocols, benchmarks, future use, and local translation between IPv4 and IPv6. The
// range names of `ipaddr.js` are not used here, because they also cover public ranges.
const RESERVED: readonly AddressRange[] = [
  ipaddr.parseCIDR('192.0.0.0/24'),
  ipaddr.parseCIDR('198.18.0.0/15'),
  ipaddr.parseCIDR('240.0.0.0/4'),
  ipaddr.parseCIDR('64:ff9b:1::/48'),
]

/** Returns false for addresses outside of the public internet, which have no location. */
export function isPublicAddress(address: ParsedAddress): boolean {
  return !NOT_PUBLIC.includes(address.range()) && !isInRanges(address, RESERVED)
}

/**
 * Returns the key of a client for rate limits. For IPv4, the key is the address. For IPv6, it is
 * the /64 network, because a client can choose any address in its network. If there is no valid
 * address, the key is `unknown`.
 */
export function addressKey(address: string | null): string {
  const parsed = address === null ? null : parseAddress(address)
  if (!parsed) return 'unknown'
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = [...parsed.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]
  return `${ipaddr.fromByteArray(prefix).toString()}/64`
}

/**
 * Returns the network of an address, or null for text that is not an address.
 *
 * @example addressNetwork('203.0.113.77', { ipv4: 24, ipv6: 48 }) // '203.0.113.0/24'
 */
export function addressNetwork(
  address: string,
  bits: { readonly ipv4: number; readonly ipv6: number },
): string | null {
  const parsed = parseAddress(address)
  if (!parsed) return null
  const length = bits[parsed.kind()]
  const family = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${family.networkAddressFromCIDR(`${parsed}/${length}`)}/${length}`
}

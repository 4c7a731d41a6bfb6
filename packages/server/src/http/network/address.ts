import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address as `ipaddr.js` parsed it. */
export type ParsedAddress = ipaddr.IPv4 | ipaddr.IPv6

/** A network: an address and the number of leading bits that count. */
export type AddressRange = readonly [ParsedAddress, number]

const IPV6_MAPPED_BITS = 96

/**
 * Reads an IP address without a port. IPv4-mapped IPv6 addresses become IPv4, zones (`%eth0`) are
 * dropped. Only the usual spellings count: `ipaddr.js` alone would also take octal and hexadecimal
 * parts, which other parsers of the same header read differently.
 *
 * @returns null for anything else
 */
export function parseAddress(text: string): ParsedAddress | null {
  const bare = text.replace(/%.*$/s, '')
  return isIP(bare) === 0 ? null : ipaddr.process(bare)
}

/**
 * Reads a CIDR range or a single address, or returns null. A mapped range such as
 * `::ffff:10.0.0.0/104` is IPv4.
 */
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

/**
 * True for addresses that are not reachable from the Internet: loopback, private networks,
 * link-local.
 */
export function isPrivateAddress(address: ParsedAddress): boolean {
  return PRIVATE.includes(address.range())
}

const NOT_PUBLIC = [...PRIVATE, 'unspecified', 'multicast', 'discard', 'benchmarking']

/**
 * More ranges that are not reachable from the Internet: protocol assignments, benchmarks, reserved
 * addresses with the broadcast address, and local translation between IPv4 and IPv6. The names of
 * `ipaddr.js` for them also cover ranges that count as public.
 */
const RESERVED: readonly AddressRange[] = [
  ipaddr.parseCIDR('192.0.0.0/24'),
  ipaddr.parseCIDR('198.18.0.0/15'),
  ipaddr.parseCIDR('240.0.0.0/4'),
  ipaddr.parseCIDR('64:ff9b:1::/48'),
]

/**
 * True for addresses that may be looked up. Private, local, reserved and multicast addresses have
 * no place, and must not be sent to others. The documentation ranges count as public.
 */
export function isPublicAddress(address: ParsedAddress): boolean {
  return !NOT_PUBLIC.includes(address.range()) && !isInRanges(address, RESERVED)
}

/**
 * The part of a client's address that one client cannot choose freely, for rate limits: an IPv4
 * address as it is, an IPv6 address as its /64, which is the smallest network that a home or a
 * server gets. Null and text that is no address share the key `unknown`.
 *
 * @example
 * addressKey('2001:db8:1:2:3:4:5:6') // '2001:db8:1:2::/64'
 */
export function addressKey(address: string | null): string {
  const parsed = address === null ? null : parseAddress(address)
  if (!parsed) return 'unknown'
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = [...parsed.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]
  return `${ipaddr.fromByteArray(prefix).toString()}/64`
}

/**
 * Returns the network of an address, in CIDR notation, or null for text that is not an address.
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

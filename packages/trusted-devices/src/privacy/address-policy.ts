import { addressNetwork } from '@quillgate/server/http'
import type { Location } from '../network/location.ts'
import type { Settings } from '../settings.ts'

type Retention = Pick<Settings, 'addressRetention' | 'networkRetention'>

/** The times that {@link addressCutoffs} returns. */
export type AddressCutoffs = Readonly<ReturnType<typeof addressCutoffs>>

// A /24 is the smallest IPv4 network that providers announce. A /48 is the largest IPv6 network
// that providers usually give to one customer.
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** Returns the form in which a new address is stored. */
export function storedAddress(
  { addressRetention, networkRetention }: Retention,
  address: string | null,
): string | null {
  if (networkRetention === 0) return null
  return addressRetention === 0 ? networkOf(address) : address
}

/** Returns the part of a place that is stored. */
export function storedPlace({ networkRetention }: Retention, place: Location): Location {
  return networkRetention === 0 ? { ...place, city: null } : place
}

/**
 * Returns two times in milliseconds since the epoch. Addresses before `shorten` are shortened to
 * their network. Addresses and networks before `remove` are removed, together with the city. The
 * time 0 changes no address.
 */
export function addressCutoffs({ addressRetention, networkRetention }: Retention, now: number) {
  const before = (retention: number | null): number =>
    retention === null ? 0 : Math.floor(now - retention * 1000)
  return { shorten: before(addressRetention), remove: before(networkRetention) }
}

/** Returns the network of an address, such as `203.0.113.0/24`. Returns a network unchanged. */
export function networkOf(address: string | null): string | null {
  if (address === null || address.includes('/')) return address
  return addressNetwork(address, NETWORK_BITS)
}

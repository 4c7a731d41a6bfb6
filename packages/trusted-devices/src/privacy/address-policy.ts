import { addressNetwork } from '@quillgate/server/http'
import type { Location } from '../network/location.ts'

/** The settings of the same names. */
export interface AddressPolicyOptions {
  /** Seconds; null: forever. */
  readonly addressRetention: number | null
  /** Seconds; null: forever. */
  readonly networkRetention: number | null
}

/** Milliseconds since the epoch; 0: never. */
export interface AddressCutoffs {
  /** Older addresses keep only their network. */
  readonly shorten: number
  /** Older addresses are removed, with the city. */
  readonly remove: number
}

/** Decides how long an address is stored, and in which form. */
export interface AddressPolicy {
  /** Returns the form in which a new address is stored. */
  store(address: string | null): string | null
  /** Returns the part of a place that is stored. */
  storePlace(place: Location): Location
  cutoffs(now: number): AddressCutoffs
}

// Providers announce a /24 and give a /48 to one customer. Neither identifies a household by
// itself.
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** Creates the policy of an instance. */
export function createAddressPolicy({
  addressRetention,
  networkRetention,
}: AddressPolicyOptions): AddressPolicy {
  const before = (now: number, retention: number | null): number =>
    retention === null ? 0 : Math.floor(now - retention * 1000)
  return {
    store(address) {
      if (networkRetention === 0) return null
      return addressRetention === 0 ? networkOf(address) : address
    },
    storePlace: (place) => (networkRetention === 0 ? { ...place, city: null } : place),
    cutoffs: (now) => ({
      shorten: before(now, addressRetention),
      remove: before(now, networkRetention),
    }),
  }
}

/** Returns the network of an address, such as `203.0.113.0/24`. A network stays as it is. */
export function networkOf(address: string | null): string | null {
  if (address === null || address.includes('/')) return address
  return addressNetwork(address, NETWORK_BITS)
}

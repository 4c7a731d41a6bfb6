import { addressNetwork } from '@quillgate/server/http'
import type { Location } from '../network/location.ts'

/** The settings that {@link AddressPolicy} depends on. */
export interface AddressPolicyOptions {
  /** Seconds after which an address is shortened to its network; null: never. */
  readonly addressRetention: number | null
  /** Seconds after which an address or network is removed; null: never. */
  readonly networkRetention: number | null
}

/** The times before which addresses are reduced, in milliseconds since the epoch; 0: none is. */
export interface AddressCutoffs {
  /** Older addresses are shortened to their network. */
  readonly shorten: number
  /** Older addresses and networks are removed, together with the city. */
  readonly remove: number
}

// A /24 is the smallest IPv4 network that providers announce. A /48 is the largest IPv6 network
// that they usually give to one customer.
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** Decides how long an address is stored, and in which form. */
export class AddressPolicy {
  readonly #retention: AddressPolicyOptions

  constructor(retention: AddressPolicyOptions) {
    this.#retention = retention
  }

  /** Returns the form in which a new address is stored. */
  store(address: string | null): string | null {
    const { addressRetention, networkRetention } = this.#retention
    if (networkRetention === 0) return null
    return addressRetention === 0 ? networkOf(address) : address
  }

  /** Returns the part of a place that is stored. */
  storePlace(place: Location): Location {
    return this.#retention.networkRetention === 0 ? { ...place, city: null } : place
  }

  /**
   * Returns the times before which addresses are reduced.
   *
   * @param now milliseconds since the epoch
   */
  cutoffs(now: number): AddressCutoffs {
    const before = (retention: number | null): number =>
      retention === null ? 0 : Math.floor(now - retention * 1000)
    const { addressRetention, networkRetention } = this.#retention
    return { shorten: before(addressRetention), remove: before(networkRetention) }
  }
}

/** Returns the network of an address, such as `203.0.113.0/24`. Returns a network unchanged. */
export function networkOf(address: string | null): string | null {
  if (address === null || address.includes('/')) return address
  return addressNetwork(address, NETWORK_BITS)
}

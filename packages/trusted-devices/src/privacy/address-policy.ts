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

// Providers announce a /24 and give a /48 to one customer. Neither identifies a household by
// itself.
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

  /** @param now milliseconds since the epoch */
  cutoffs(now: number): AddressCutoffs {
    const before = (retention: number | null): number =>
      retention === null ? 0 : Math.floor(now - retention * 1000)
    const { addressRetention, networkRetention } = this.#retention
    return { shorten: before(addressRetention), remove: before(networkRetention) }
  }
}

/** Returns the network of an address, such as `203.0.113.0/24`. A network stays as it is. */
export function networkOf(address: string | null): string | null {
  if (address === null || address.includes('/')) return address
  return addressNetwork(address, NETWORK_BITS)
}

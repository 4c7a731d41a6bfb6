import { addressNetwork } from '@quillgate/server/http'
import type { Location } from '../network/location.ts'

/**
 * The precision of a stored address. The column `address_level` contains these numbers, so that an
 * index finds the addresses that are due.
 */
export const addressLevel = {
  /** The address. */
  full: 0,
  /** Its network, such as `203.0.113.0/24`, or only the city. */
  network: 1,
  /** At most the country. */
  none: 2,
} as const

/** One of {@link addressLevel}. */
export type AddressLevel = (typeof addressLevel)[keyof typeof addressLevel]

/** Returns the level of a stored address. @param city null if none is stored with the address */
export function levelOf(address: string | null, city: string | null): AddressLevel {
  if (address === null) return city === null ? addressLevel.none : addressLevel.network
  return address.includes('/') ? addressLevel.network : addressLevel.full
}

/** The settings of the same names. */
export interface AddressPolicyOptions {
  /** Seconds; null: forever. */
  readonly addressRetention: number | null
  /** Seconds; null: forever. */
  readonly networkRetention: number | null
}

/** One reduction of addresses that are too old. */
export interface AddressStep {
  readonly level: AddressLevel
  /** Milliseconds since the epoch. Older addresses are due. */
  readonly before: number
  reduce(address: string | null): string | null
  /** Whether the city stays. */
  readonly keepsCity: boolean
}

/** Decides how long an address is stored, and in which form. */
export interface AddressPolicy {
  /** Returns the form in which a new address is stored. */
  store(address: string | null): string | null
  /** Returns the part of a place that is stored. */
  storePlace(place: Location): Location
  /**
   * Returns the reductions that are due, in their order. @param now milliseconds since the epoch
   */
  steps(now: number): AddressStep[]
}

// Providers announce a /24 and give a /48 to one customer. Neither identifies a household by
// itself.
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** Creates the policy of an instance. */
export function createAddressPolicy({
  addressRetention,
  networkRetention,
}: AddressPolicyOptions): AddressPolicy {
  // An address without a retention of its own is removed together with its network.
  const addressAge = addressRetention ?? networkRetention
  const toNetwork = (address: string | null): string | null =>
    address === null ? null : addressNetwork(address, NETWORK_BITS)
  return {
    store(address) {
      if (networkRetention === 0) return null
      return addressAge === 0 ? toNetwork(address) : address
    },
    storePlace: (place) => (networkRetention === 0 ? { ...place, city: null } : place),
    steps(now) {
      const steps: AddressStep[] = []
      if (addressAge !== null) {
        const before = Math.floor(now - addressAge * 1000)
        steps.push({ level: addressLevel.full, before, reduce: toNetwork, keepsCity: true })
      }
      if (networkRetention !== null) {
        const before = Math.floor(now - networkRetention * 1000)
        steps.push({ level: addressLevel.network, before, reduce: () => null, keepsCity: false })
      }
      return steps
    },
  }
}

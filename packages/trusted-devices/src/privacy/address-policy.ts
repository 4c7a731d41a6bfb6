import { createHmac } from 'node:crypto'
import { addressNetwork } from '@quillgate/server/http'
import { type AddressLevel, addressLevel } from './address-level.ts'

/** How addresses are kept, from the settings of the same names. */
export interface AddressPolicyOptions {
  readonly storage: 'full' | 'hashed' | 'none'
  /** Seconds; null: for ever. */
  readonly addressRetention: number | null
  /** Seconds; null: for ever. */
  readonly networkRetention: number | null
  /** The newest one hashes. */
  readonly keys: readonly [Buffer, ...Buffer[]]
}

/** A level whose addresses are too old, and what is left of one. */
export interface AddressStep {
  readonly level: AddressLevel
  /** Milliseconds since the epoch: those from before this are due. */
  readonly before: number
  reduce(address: string | null): string | null
  /** Whether the city may stay. */
  readonly keepsCity: boolean
}

/** Decides in which form an address is kept, and for how long. */
export interface AddressPolicy {
  /** The form in which a new address is kept. */
  store(address: string | null): string | null
  /** Every form in which a single address may be found, whatever the settings and secrets were. */
  forms(address: string): readonly string[]
  /** What is due at a time, in the order in which it must be done. @param now milliseconds since the epoch */
  steps(now: number): AddressStep[]
}

// A /24 is what providers announce, a /48 what they give to one customer: neither names a household by itself.
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** Makes the policy of an instance. */
export function createAddressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const { storage, addressRetention, networkRetention, keys } = options
  const hash = (address: string, key = keys[0]): string =>
    `hmac-sha256:${createHmac('sha256', key).update(address).digest('hex')}`
  const store = (address: string | null): string | null => {
    if (address === null || storage === 'none') return null
    return storage === 'hashed' ? hash(address) : address
  }
  const toNetwork = (address: string | null): string | null =>
    address === null ? null : addressNetwork(address, NETWORK_BITS)
  return {
    store,
    forms: (address) => [address, ...keys.map((key) => hash(address, key))],
    steps(now) {
      const steps: AddressStep[] = []
      const add = (
        level: AddressLevel,
        age: number | null,
        reduce: AddressStep['reduce'],
        keepsCity = true,
      ): void => {
        if (age !== null)
          steps.push({ level, before: Math.floor(now - age * 1000), reduce, keepsCity })
      }
      // Without an age of its own an address goes when its network does.
      const age = addressRetention ?? networkRetention
      add(addressLevel.full, age, storage === 'none' ? () => null : toNetwork)
      // What was kept before the setting changed is brought into the new form, however young it is.
      if (storage !== 'full') add(addressLevel.full, -1, store)
      // A hash stands for one address as that address does, and has no network.
      add(addressLevel.hashed, storage === 'none' ? -1 : age, () => null)
      add(addressLevel.network, networkRetention, () => null, false)
      return steps
    },
  }
}

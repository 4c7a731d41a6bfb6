/**
 * How much is still kept of where something came from. In the database, so that what is due is found by an index; the
 * numbers must never change.
 */
export const addressLevel = {
  /** The address. */
  full: 0,
  /** A keyed hash of it: `hmac-sha256:` and 64 hexadecimal digits. */
  hashed: 1,
  /** Its network, such as `203.0.113.0/24`, or only the city. */
  network: 2,
  /** At most the country. */
  none: 3,
} as const

/** One of {@link addressLevel}. */
export type AddressLevel = (typeof addressLevel)[keyof typeof addressLevel]

/** The level of what is kept. @param city null where none is kept beside the address */
export function levelOf(address: string | null, city: string | null): AddressLevel {
  if (address === null) return city === null ? addressLevel.none : addressLevel.network
  if (address.startsWith('hmac-sha256:')) return addressLevel.hashed
  return address.includes('/') ? addressLevel.network : addressLevel.full
}

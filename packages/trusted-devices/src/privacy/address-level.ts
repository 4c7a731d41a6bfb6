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

import type { Random } from '../../corpus/random.ts'

const COUNTRIES = [
  'DE',
  'FR',
  'AT',
  'CH',
  'IT',
  'ES',
  'GB',
  'NL',
  'PL',
  'US',
  'CA',
  'JP',
  'SG',
  'BR',
  'ZA',
  'AU',
] as const

export type Country = (typeof COUNTRIES)[number]

export const HOME: Country = 'DE'

export function abroad(random: Random): Country {
  return COUNTRIES[1 + Math.floor(random.below(COUNTRIES.length - 1))] ?? 'FR'
}

/** Each country has an IPv4 range and an IPv6 range. */
export function addressIn(
  country: Country,
  random: Random,
  family: 4 | 6 = random.below(2) < 1 ? 4 : 6,
): string {
  const byte = (): number => Math.floor(random.below(256))
  const index = COUNTRIES.indexOf(country)
  if (family === 4) return `${20 + index}.${byte()}.${byte()}.${byte()}`
  const group = (): string => Math.floor(random.below(65_536)).toString(16)
  return `2a${(16 + index).toString(16)}:${group()}:${group()}::${group()}`
}

/** Replaces a location database in the simulation. */
export function countryOf(address: string): Country | null {
  const index = address.includes(':')
    ? Number.parseInt(address.slice(2, 4), 16) - 16
    : Number(address.split('.')[0]) - 20
  return COUNTRIES[index] ?? null
}

import { toCountryCode } from './countries.ts'
import type { FoundLocation } from './location.ts'

/**
 * Reads the place in a record. Databases of this format share no schema: MaxMind and DB-IP nest objects with names by
 * language (`country.iso_code`, `city.names.de`), IPinfo and others are flat (`country_code` or `country`, `city`).
 *
 * @param language of city names; English where the database has none
 */
export function readPlace(record: unknown, language: string): FoundLocation | null {
  const { country, country_code: code, city } = members(record)
  const found = members(country)['iso_code'] ?? code ?? country
  const names = members(members(city)['names'])
  const name = (Object.hasOwn(names, language) ? names[language] : undefined) ?? names['en'] ?? city
  const place = { country: toCountryCode(found), city: textOf(name) }
  return place.country === null && place.city === null ? null : place
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

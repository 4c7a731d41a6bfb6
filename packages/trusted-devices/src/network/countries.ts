import { stripControlCharacters } from './control-characters.ts'

// The officially assigned codes of ISO 3166-1 alpha-2 (https://www.iso.org/obp/ui/#search/code/) in
// 2025.
const ASSIGNED = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS YE YT ZA ZM ZW`

// The code of Kosovo. It is not officially assigned, but the European Union and location services
// use it.
const IN_USE = 'XK'

const COUNTRIES: ReadonlySet<string> = new Set(`${ASSIGNED} ${IN_USE}`.trim().split(/\s+/))

/**
 * Returns a country code (ISO 3166-1 alpha-2, or `XK` for Kosovo) in upper case, or null for any
 * other value. Codes that are not countries, such as `XX`, `T1`, `EU` and `A1`, result in null.
 * `UK` also results in null, because the code of the United Kingdom is `GB`.
 */
export function toCountryCode(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\s*[A-Za-z]{2}\s*$/.test(value)) return null
  const code = value.trim().toUpperCase()
  return COUNTRIES.has(code) ? code : null
}

const MAX_COUNTRY = 100 // Characters. The database columns have the same length.

/** Codes that services return for an unknown place (`XX`, `ZZ`) or for Tor (`T1`). */
const UNKNOWN: ReadonlySet<string> = new Set(['XX', 'ZZ', 'T1'])

/**
 * Cleans a country name or code that a lookup returned: replaces control characters, and converts a
 * two-letter code to upper case.
 *
 * @returns the country, or null if the text has more than 100 characters, has no visible
 * characters, or means an unknown place
 */
export function toCountry(text: string): string | null {
  // Reads only the start of a huge text. White space at its ends does not count as length.
  const name = stripControlCharacters(text.slice(0, 2 * MAX_COUNTRY).toWellFormed()).trim()
  if (name.length > MAX_COUNTRY || !/[^\p{C}\p{Z}]/u.test(name)) return null
  const country = /^[A-Za-z]{2}$/.test(name) ? name.toUpperCase() : name
  return UNKNOWN.has(country.toUpperCase()) ? null : country
}

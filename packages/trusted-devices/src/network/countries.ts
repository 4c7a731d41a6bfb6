import { stripControlCharacters } from './control-characters.ts'

// ISO 3166-1 alpha-2, officially assigned (https://www.iso.org/obp/ui/#search/code/), as of 2025.
const ASSIGNED = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS YE YT ZA ZM ZW`

// Kosovo: not assigned, but what the European Union and the providers of locations use.
const IN_USE = 'XK'

const COUNTRIES: ReadonlySet<string> = new Set(`${ASSIGNED} ${IN_USE}`.trim().split(/\s+/))

/**
 * Returns the country of a code in any case, or null. Use it for sources of codes only (headers,
 * databases). Codes without a country (`XX`, `T1`, `EU`, `A1` …) are unknown, and so is `UK`, which
 * ISO only reserves: the code of the United Kingdom is `GB`.
 */
export function toCountryCode(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\s*[A-Za-z]{2}\s*$/.test(value)) return null
  const code = value.trim().toUpperCase()
  return COUNTRIES.has(code) ? code : null
}

const MAX_COUNTRY = 100 // Characters, as in the tables.

/** Texts that services return for an unknown place, and Tor. */
const UNKNOWN: ReadonlySet<string> = new Set(['XX', 'ZZ', 'T1'])

/**
 * Cleans the country that a look-up returned, which may be any text: removes control characters,
 * and writes two letters in upper case.
 *
 * @returns null for a text of more than 100 characters, one without visible characters, and one
 * that means an unknown place
 */
export function toCountry(text: string): string | null {
  // Longer text is not a country and is not read to its end.
  const name = stripControlCharacters(text.slice(0, 2 * MAX_COUNTRY).toWellFormed()).trim()
  if (name.length > MAX_COUNTRY || !/[^\p{C}\p{Z}]/u.test(name)) return null
  const country = /^[A-Za-z]{2}$/.test(name) ? name.toUpperCase() : name
  return UNKNOWN.has(country.toUpperCase()) ? null : country
}

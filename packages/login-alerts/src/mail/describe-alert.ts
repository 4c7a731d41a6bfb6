import type { Alert } from '../alert.ts'
import { type AlertLanguage, fill } from './alert-languages.ts'
import { plainName } from './plain-text.ts'
import { shownBrowser, shownName, shownSystem } from './shown-names.ts'

/** How to speak to one user. */
export interface AlertVoice {
  readonly language: AlertLanguage
  readonly appName: string
  /** IANA name. */
  readonly timeZone: string
}

/** One sign-in in words, harmless in plain text; still to be escaped for HTML. */
export interface AlertDescription {
  readonly device: string
  /** City and country, or the text for an unknown place. */
  readonly place: string
  /** The country alone, or the text for an unknown one. */
  readonly country: string
  readonly time: string
  /** ISO 8601, for `<time datetime>`. */
  readonly datetime: string
  /** Countries of the other devices, or null. */
  readonly previously: string | null
}

/** Puts an alert into words. */
export function describeAlert(
  { details, kind, happenedAt }: Alert,
  voice: AlertVoice,
): AlertDescription {
  const { language } = voice
  const { strings } = language
  const country = details.country === null ? null : countryIn(language, details.country)
  const city = details.city === null ? '' : plainName(details.city)
  const previous = details.previousCountries.map((code) => countryIn(language, code))
  return {
    device: deviceName(language, details, kind === 'compromised'),
    place: [city, country].filter(Boolean).join(', ') || strings.unknownPlace,
    country: country ?? strings.unknownPlace,
    time: timeName(voice, happenedAt),
    datetime: new Date(happenedAt).toISOString(),
    previously:
      previous.length > 0
        ? fill(strings.previousCountries, { countries: listOf(language, previous) })
        : null,
  }
}

/** A time with its zone, for people. @param at milliseconds since the epoch */
export function timeName({ language, timeZone }: AlertVoice, at: number): string {
  return new Intl.DateTimeFormat(language.locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone,
  }).format(at)
}

/** A day, for people. @param at milliseconds since the epoch */
export function dayName({ language, timeZone }: AlertVoice, at: number): string {
  return new Intl.DateTimeFormat(language.locale, { dateStyle: 'long', timeZone }).format(at)
}

/** @param isKnown whether its owner may have given it a name */
function deviceName(
  { strings }: AlertLanguage,
  { name, browser, os }: Alert['details'],
  isKnown: boolean,
): string {
  const own = isKnown ? shownName(name) : null
  if (own !== null) return own
  // The name in a stranger's request must not look like text of the application.
  const known = browser === null ? '' : (shownBrowser(browser) ?? strings.unknownBrowser)
  const parts = { browser: known, os: shownSystem(os ?? '') ?? '' }
  if (parts.browser && parts.os) return fill(strings.device, parts)
  return parts.browser || parts.os || strings.unknownDevice
}

/** A country that is no code is the text of a look-up service. */
function countryIn({ locale, strings }: AlertLanguage, country: string): string {
  const name = countryName(country, locale)
  return name === country ? plainName(country) || strings.unknownPlace : name
}

/** The name of a country. A text that is no ISO code is returned unchanged. */
function countryName(country: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country
  } catch {
    return country // Two letters that are no code.
  }
}

function listOf({ locale }: AlertLanguage, names: readonly string[]): string {
  const sorted = [...names].sort(new Intl.Collator(locale).compare)
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(sorted)
}

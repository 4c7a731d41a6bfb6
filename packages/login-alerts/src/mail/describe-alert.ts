import type { Alert } from '../alert.ts'
import { type AlertLanguage, fill } from './alert-languages.ts'
import { plainName, shownBrowser, shownSystem } from './names.ts'

/** The language, the application's name and the time zone for texts that a user reads. */
export interface AlertContext {
  readonly language: AlertLanguage
  readonly appName: string
  /** An IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string
}

/** Describes an alert in words. The words are safe in plain text, but must be escaped in HTML. */
export function describeAlert({ details, happenedAt }: Alert, context: AlertContext) {
  const { language } = context
  const { strings, locale } = language
  const country = details.country === null ? null : countryName(language, details.country)
  const city = details.city === null ? '' : plainName(details.city)
  const previous = details.previousCountries.map((code) => countryName(language, code))
  previous.sort(new Intl.Collator(locale).compare)
  const countries = new Intl.ListFormat(locale, { type: 'conjunction' }).format(previous)
  return {
    device: deviceName(language, details),
    place: [city, country].filter(Boolean).join(', ') || strings.unknownPlace,
    country: country ?? strings.unknownPlace,
    time: timeName(context, happenedAt),
    datetime: new Date(happenedAt).toISOString(),
    previously: previous.length > 0 ? fill(strings.previousCountries, { countries }) : null,
  }
}

/** Formats a time in the language and the time zone of the user. */
export function timeName({ language, timeZone }: AlertContext, at: number): string {
  const options = { dateStyle: 'long', timeStyle: 'long', timeZone } as const
  return new Intl.DateTimeFormat(language.locale, options).format(at)
}

// Returns the name of a device. Hides unknown browsers and systems, because a stranger can choose
// names that look like text of the application.
function deviceName({ strings }: AlertLanguage, { browser, os }: Alert['details']): string {
  const known = browser === null ? '' : (shownBrowser(browser) ?? strings.unknownBrowser)
  const parts = { browser: known, os: shownSystem(os ?? '') ?? '' }
  if (parts.browser && parts.os) return fill(strings.device, parts)
  return parts.browser || parts.os || strings.unknownDevice
}

// Returns the name of a country. A value that is not an ISO code is returned without characters that
// could form a link.
function countryName({ locale, strings }: AlertLanguage, country: string): string {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const name = /^[A-Z]{2}$/.test(country) ? names.of(country) : undefined
  return name ?? (plainName(country) || strings.unknownPlace)
}

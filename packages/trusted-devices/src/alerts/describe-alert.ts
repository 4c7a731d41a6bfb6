import type { AlertEvent } from './alert-event.ts'
import { type AlertLanguage, fill } from './alert-texts.ts'
import { plainName } from './plain-text.ts'

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
  /** City and country, or that nobody knows. */
  readonly place: string
  /** The country alone, or that nobody knows. */
  readonly country: string
  readonly time: string
  /** ISO 8601, for `<time datetime>`. */
  readonly datetime: string
  /** Countries of the other devices, or null. */
  readonly previously: string | null
}

/** Puts an alert into words. */
export function describeAlert({ details, kind, happenedAt }: AlertEvent, voice: AlertVoice): AlertDescription {
  const { language } = voice
  const { texts } = language
  const country = details.country === null ? null : countryName(language, details.country)
  const city = details.city === null ? '' : plainName(details.city)
  const previous = details.previousCountries.map((code) => countryName(language, code))
  return {
    device: deviceName(language, details, kind === 'compromised'),
    place: [city, country].filter(Boolean).join(', ') || texts.unknownPlace,
    country: country ?? texts.unknownPlace,
    time: timeName(voice, happenedAt),
    datetime: new Date(happenedAt).toISOString(),
    previously: previous.length > 0 ? fill(texts.previousCountries, { countries: listOf(language, previous) }) : null,
  }
}

/** A time with its zone, for people. @param at milliseconds since the epoch */
export function timeName({ language, timeZone }: AlertVoice, at: number): string {
  return new Intl.DateTimeFormat(language.locale, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(at)
}

/** A day, for people. @param at milliseconds since the epoch */
export function dayName({ language, timeZone }: AlertVoice, at: number): string {
  return new Intl.DateTimeFormat(language.locale, { dateStyle: 'long', timeZone }).format(at)
}

/** @param isKnown whether its owner may have given it a name */
function deviceName({ texts }: AlertLanguage, { name, browser, os }: AlertEvent['details'], isKnown: boolean): string {
  if (isKnown && plainName(name) !== '') return plainName(name)
  const parts = { browser: plainName(browser ?? ''), os: plainName(os ?? '') }
  if (parts.browser && parts.os) return fill(texts.device, parts)
  return parts.browser || parts.os || texts.unknownDevice
}

function countryName({ locale }: AlertLanguage, code: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code
  } catch {
    return plainName(code) // No code at all: only the database could say such a thing.
  }
}

function listOf({ locale }: AlertLanguage, names: readonly string[]): string {
  const sorted = [...names].sort(new Intl.Collator(locale).compare)
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(sorted)
}

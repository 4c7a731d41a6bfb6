import { ConfigurationError } from '@quillgate/http'
import { german } from './texts/de.ts'
import { english } from './texts/en.ts'
import { french } from './texts/fr.ts'

/** A text that depends on a number; `other` is needed, the rest are categories of `Intl.PluralRules`. */
export interface PluralText {
  readonly one?: string
  readonly two?: string
  readonly few?: string
  readonly many?: string
  readonly zero?: string
  readonly other: string
}

/**
 * Every text of mails and their pages, in one language. `{app}`, `{device}`, `{country}`, `{countries}`, `{count}`,
 * `{date}`, `{browser}`, `{os}` and `{subject}` stand for values, as far as the English text has them. Plain text: it
 * is escaped where it becomes HTML.
 */
export interface AlertTexts {
  readonly subjectNewDevice: string
  readonly subjectNewCountry: string
  /** A new device from a place that nobody knows, where the setting `unknownCountry` is `suspicious`. */
  readonly subjectUnknownPlace: string
  readonly subjectCompromised: string
  /** Around another subject, with the `{count}` of further sign-ins. */
  readonly subjectMore: PluralText
  readonly introNewDevice: string
  readonly introNewCountry: string
  readonly introUnknownPlace: string
  /** A refresh token was used twice. */
  readonly introTokenReused: string
  /** An old device credential came. */
  readonly introCredentialReused: string
  readonly labelDevice: string
  readonly labelPlace: string
  readonly labelTime: string
  /** Countries of the other devices, with `{countries}`. */
  readonly previousCountries: string
  readonly device: string
  readonly unknownDevice: string
  readonly unknownPlace: string
  /** Above a list of `{count}` further sign-ins. */
  readonly more: PluralText
  /** Below it, with the `{count}` of those left out. */
  readonly moreUnlisted: PluralText
  readonly ifNotYou: string
  /** The same, where only the one device is signed out. */
  readonly ifNotYouOne: string
  readonly ifYou: string
  /** The link and the button. */
  readonly wasNotMe: string
  readonly wasMe: string
  readonly yourDevices: string
  readonly linksUntil: string
  readonly whyThisMail: string
  readonly pageTitle: string
  readonly pageQuestion: string
  readonly pageNotMe: string
  readonly pageNotMeOne: string
  readonly pageMe: string
  readonly reportedTitle: string
  readonly reported: PluralText
  readonly reportedNext: string
  readonly alreadyReported: string
  readonly mutedTitle: string
  readonly muted: string
  readonly expiredTitle: string
  readonly expired: string
  readonly invalidTitle: string
  readonly invalid: string
  readonly busyTitle: string
  readonly busy: string
  readonly failedTitle: string
  readonly failed: string
}

/** The texts of one language, and how to write its numbers, places and times. */
export interface AlertLanguage {
  /** BCP 47, also for `lang`. */
  readonly locale: string
  readonly texts: AlertTexts
}

/** Finds the language of a locale. */
export type FindLanguage = (locale: string) => AlertLanguage

const BUILT_IN: Readonly<Record<string, AlertTexts>> = { en: english, de: german, fr: french }

/**
 * Joins the built-in texts (en, de, fr) with the application's.
 *
 * @param own by locale. Those of a locale that is not built in stand on the English ones
 * @throws ConfigurationError for a locale that is none, or a text that does not exist
 */
export function createLanguages(own: Readonly<Record<string, Partial<AlertTexts>>> = {}): FindLanguage {
  const known = new Map(Object.entries(BUILT_IN))
  for (const [name, texts] of Object.entries(own)) {
    const locale = canonical(name)
    if (locale === null)
      throw new ConfigurationError('alerts.texts', 'must have locales such as "de" as its keys', name)
    for (const [key, text] of Object.entries(texts)) checkText(`alerts.texts.${name}.${key}`, key, text)
    known.set(locale, { ...nearest(known, locale), ...texts })
  }
  return (wanted) => {
    const locale = canonical(wanted) ?? 'en'
    const texts = nearest(known, locale)
    // The times of `de-AT` with the texts of `de`; but no French dates in an English text.
    const isKnown = [...known.keys()].some((name) => name.split('-')[0] === locale.split('-')[0])
    return { locale: isKnown ? locale : 'en', texts }
  }
}

/** The usual spelling of a locale, or null. */
export function canonical(locale: unknown): string | null {
  try {
    return typeof locale === 'string' ? (Intl.getCanonicalLocales(locale)[0] ?? null) : null
  } catch {
    return null
  }
}

/** Puts values where their names stand. */
export function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** The form of a text for a number, with `{count}` filled in. */
export function plural({ locale }: AlertLanguage, forms: PluralText, count: number, values = {}): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other
  return fill(form, { ...values, count: new Intl.NumberFormat(locale).format(count) })
}

function nearest(known: ReadonlyMap<string, AlertTexts>, locale: string): AlertTexts {
  for (let name = locale; name !== ''; name = name.replace(/-?[^-]*$/, '')) {
    const texts = known.get(name)
    if (texts) return texts
  }
  return english
}

function checkText(name: string, key: string, text: unknown): void {
  if (!Object.hasOwn(english, key)) throw new ConfigurationError(name, 'is no text of an alert')
  const isPlural = typeof english[key as keyof AlertTexts] === 'object'
  const isRight = isPlural ? typeof (text as PluralText | null)?.other === 'string' : typeof text === 'string'
  if (!isRight) throw new ConfigurationError(name, isPlural ? 'must be { one, other }' : 'must be text', text)
}

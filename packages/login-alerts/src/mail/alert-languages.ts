import { ConfigurationError, checks, optional, Problem, parse } from '@quillgate/server/core'
import { de } from './strings/de.ts'
import { type AlertStrings, en, type PluralText } from './strings/en.ts'
import { fr } from './strings/fr.ts'

/** A language of mails and pages. */
export interface AlertLanguage {
  /** BCP 47, also for `lang`. */
  readonly locale: string
  readonly strings: AlertStrings
}

/** Finds the language of a locale. */
export type FindLanguage = (locale: string) => AlertLanguage

const BUILT_IN: Readonly<Record<string, AlertStrings>> = { de, en, fr }
const TEXTS = Object.fromEntries(
  Object.entries(en).map(([name, text]) => [
    name,
    optional<unknown>(typeof text === 'string' ? checks.text : plurals),
  ]),
)

/**
 * Joins the built-in texts (en, de, fr) with the application's.
 *
 * @param own by locale; a locale that is not built in is based on the English texts
 * @throws ConfigurationError for a wrong locale, or a text that does not exist
 */
export function createLanguages(
  own: Readonly<Record<string, Partial<AlertStrings>>> = {},
): FindLanguage {
  const known = new Map(Object.entries(BUILT_IN))
  for (const [name, strings] of Object.entries(own)) {
    const locale = canonical(name)
    if (locale === null)
      throw new ConfigurationError('strings', 'must have locales such as "de" as its keys', name)
    parse(TEXTS, strings, `strings.${name}`)
    known.set(locale, { ...nearest(known, locale), ...strings })
  }
  return (wanted) => {
    const locale = canonical(wanted) ?? 'en'
    const strings = nearest(known, locale)
    // The times of `de-AT` with the texts of `de`; but no French dates in an English text.
    const isKnown = [...known.keys()].some((name) => name.split('-')[0] === locale.split('-')[0])
    return { locale: isKnown ? locale : 'en', strings }
  }
}

/** The usual spelling of a locale, or null. */
function canonical(locale: unknown): string | null {
  try {
    return typeof locale === 'string' ? (Intl.getCanonicalLocales(locale)[0] ?? null) : null
  } catch {
    return null
  }
}

/** Puts values into a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? String(values[key]) : whole,
  )
}

/** The form of a text for a number, with `{count}` filled in. */
export function plural(
  { locale }: AlertLanguage,
  forms: PluralText,
  count: number,
  values = {},
): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other
  return fill(form, { ...values, count: new Intl.NumberFormat(locale).format(count) })
}

function nearest(known: ReadonlyMap<string, AlertStrings>, locale: string): AlertStrings {
  for (let name = locale; name !== ''; name = name.replace(/-?[^-]*$/, '')) {
    const strings = known.get(name)
    if (strings) return strings
  }
  return en
}

function plurals(value: unknown): unknown {
  const isRight = typeof (value as PluralText | null)?.other === 'string'
  return isRight ? value : new Problem('must be { one, other }', value)
}

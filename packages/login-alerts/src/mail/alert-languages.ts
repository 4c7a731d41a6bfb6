import { ConfigurationError, checks, optional, Problem, parse } from '@quillgate/server/core'
import { de } from './strings/de.ts'
import { type AlertStrings, en, type PluralText } from './strings/en.ts'
import { fr } from './strings/fr.ts'

/** A language of mails and pages. */
export interface AlertLanguage {
  /** A BCP 47 tag. Pages and mails have it as their attribute `lang`. */
  readonly locale: string
  readonly strings: AlertStrings
}

const BUILT_IN: Readonly<Record<string, AlertStrings>> = { de, en, fr }
const TEXTS = Object.fromEntries(
  Object.entries(en).map(([name, text]) => [
    name,
    optional<unknown>(typeof text === 'string' ? checks.text : plurals),
  ]),
)

/**
 * Returns a function that finds the texts for a locale. Combines the built-in texts (en, de, fr)
 * with the texts of the application.
 *
 * @param own texts by locale. If a text is missing, the text of the nearest known locale (`de` for
 * `de-AT`) is used. If no such locale has the text, the English text is used.
 * @throws ConfigurationError for an invalid locale or an unknown text
 */
export function createLanguages(
  own: Readonly<Record<string, Partial<AlertStrings>>> = {},
): (locale: string) => AlertLanguage {
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
    // `de-AT` has the texts of `de` and Austrian dates. A language without texts has English texts
    // and English dates.
    const isKnown = [...known.keys()].some((name) => name.split('-')[0] === locale.split('-')[0])
    return { locale: isKnown ? locale : 'en', strings }
  }
}

function canonical(locale: unknown): string | null {
  try {
    return typeof locale === 'string' ? (Intl.getCanonicalLocales(locale)[0] ?? null) : null
  } catch {
    return null
  }
}

/** Replaces placeholders such as `{name}` in a text with values. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? String(values[key]) : whole,
  )
}

/** Returns the singular or plural form of a text. Fills in `{count}` and other values. */
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

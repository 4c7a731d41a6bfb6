import { EN } from './en.ts'
import type { EN_LAZY } from './en-lazy.ts'
import { loadPart } from './load-part.ts'

type Words<Part> = {
  readonly [Key in keyof Part]: Part[Key] extends string
    ? string
    : Part[Key] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Words<Part[Key]>
}

/** The user interface texts of the script that loads first, in one language. */
export type EditorStrings = Words<typeof EN>

/** All user interface texts of an editor, in one language. */
export type AllStrings = EditorStrings & Words<typeof EN_LAZY>

/** Translations of some or all texts. Texts without a translation are English. */
type LocaleWords = Partial<Omit<AllStrings, 'buttons'>> & {
  readonly buttons?: Partial<AllStrings['buttons']>
}

/** The translations into a language, or a function that loads them. */
export type Locale = LocaleWords | (() => Promise<LocaleWords>)

/** The available languages by their tags in lower case. */
export const LOCALES: Map<string, Locale> = new Map<string, Locale>([
  ['de', async () => (await import('./de.ts')).DE],
  ['fr', async () => (await import('./fr.ts')).FR],
])

/** Returns the texts of a language tag, of its language (`de` for `de-AT`), or in English. */
export function stringsFor(tag: string): EditorStrings | Promise<EditorStrings> {
  const name = tag.toLowerCase()
  const locale = LOCALES.get(name) ?? LOCALES.get(name.split('-')[0] ?? '')
  if (typeof locale === 'function') return loadPart(locale, EN).then(complete)
  return complete(locale)
}

function complete(locale: LocaleWords | undefined): EditorStrings {
  return { ...EN, ...locale, buttons: { ...EN.buttons, ...locale?.buttons } }
}

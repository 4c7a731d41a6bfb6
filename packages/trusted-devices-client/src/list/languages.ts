import { de } from './strings/de.ts'
import { en } from './strings/en.ts'
import { fr } from './strings/fr.ts'
import { type DeviceListStrings, languageOf } from './strings.ts'

const LANGUAGES: Readonly<Record<string, DeviceListStrings>> = { de, en, fr }

/** The texts of a language, English for one that we do not have. @param locale BCP 47, for example `de-AT` */
export function stringsFor(locale: string): DeviceListStrings {
  const language = languageOf(locale)
  return (Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined) ?? en
}

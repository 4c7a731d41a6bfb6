import { de } from './strings/de.ts'
import { en } from './strings/en.ts'
import { fr } from './strings/fr.ts'
import { type DeviceListStrings, languageOf } from './strings.ts'

const LANGUAGES: Readonly<Record<string, DeviceListStrings>> = { de, en, fr }

/**
 * Returns the texts of a language. If the language has no texts, returns the English texts.
 *
 * @param locale a BCP 47 tag, for example `de-AT`
 */
export function stringsFor(locale: string): DeviceListStrings {
  const language = languageOf(locale)
  return (Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined) ?? en
}

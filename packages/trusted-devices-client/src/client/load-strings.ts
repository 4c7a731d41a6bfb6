import { en } from '../list/strings/en.ts'
import { type DeviceListStrings, languageOf } from '../list/strings.ts'

/** Loads the texts of a language from its own script. English is built in. */
export async function loadStrings(locale: string): Promise<DeviceListStrings> {
  try {
    const language = languageOf(locale)
    if (language === 'de') return (await import('../list/strings/de.ts')).de
    if (language === 'fr') return (await import('../list/strings/fr.ts')).fr
  } catch {
    // The import fails, for example if a newer build has replaced the file. Uses English texts.
  }
  return en
}

import { en } from '../list/strings/en.ts'
import { type DeviceListStrings, languageOf } from '../list/strings.ts'

/** The texts of a language, which come with a script of their own; English when there is none. */
export async function loadStrings(locale: string): Promise<DeviceListStrings> {
  try {
    const language = languageOf(locale)
    if (language === 'de') return (await import('../list/strings/de.ts')).de
    if (language === 'fr') return (await import('../list/strings/fr.ts')).fr
  } catch {
    // The page is of a build that is gone: English will do.
  }
  return en
}

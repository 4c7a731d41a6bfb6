import { EN_LATER } from './en-later.ts'
import type { AllStrings, EditorStrings } from './strings.ts'

/** Adds the words of the lazy parts; missing translations are English. */
export function laterStrings(strings: EditorStrings): AllStrings {
  return { ...EN_LATER, ...strings }
}

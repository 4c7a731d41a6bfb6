import { EN_LATER } from './en-later.ts'
import type { AllStrings, EditorStrings } from './strings.ts'

/** Adds the words of the parts that are loaded later. Missing translations are English. */
export function laterStrings(strings: EditorStrings): AllStrings {
  return { ...EN_LATER, ...strings }
}

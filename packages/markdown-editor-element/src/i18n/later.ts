import { EN_LATER } from './en-later.ts'
import type { AllStrings, EditorStrings } from './strings.ts'

/** The words of an editor with those that its first script does not need; English where its language has none. */
export function laterStrings(strings: EditorStrings): AllStrings {
  return { ...EN_LATER, ...strings }
}

import { EN } from './en.ts'
import { EN_LATER } from './en-later.ts'
import type { AllStrings } from './strings.ts'

export const DE: AllStrings = { ...EN, ...EN_LATER }

import { EN } from './en.ts'
import type { EditorStrings } from './strings.ts'

export const FR: EditorStrings = EN

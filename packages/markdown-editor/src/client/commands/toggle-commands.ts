import { code } from './code.ts'
import { codeBlock } from './code-block.ts'
import type { ToggleCommand } from './edit.ts'
import { INLINE_COMMANDS } from './inline.ts'
import { type HeadingLevel, heading, headingOf, quote } from './lines.ts'
import { LIST_COMMANDS } from './lists.ts'

/** The name of a command that toggles. */
export type ToggleCommandName =
  | keyof typeof INLINE_COMMANDS
  | keyof typeof LIST_COMMANDS
  | 'heading'
  | `heading-${HeadingLevel}`
  | 'quote'
  | 'code'
  | 'code-block'

/** The commands that give the text a mark, or take it away: what the page loads first. */
export const TOGGLE_COMMANDS: Readonly<Record<ToggleCommandName, ToggleCommand>> = {
  ...INLINE_COMMANDS,
  ...LIST_COMMANDS,
  heading,
  'heading-1': headingOf(1),
  'heading-2': headingOf(2),
  'heading-3': headingOf(3),
  'heading-4': headingOf(4),
  'heading-5': headingOf(5),
  'heading-6': headingOf(6),
  quote,
  code,
  'code-block': codeBlock,
}

/** True for the name of a command that toggles. */
export function isToggleCommand(name: string): name is ToggleCommandName {
  return Object.hasOwn(TOGGLE_COMMANDS, name)
}

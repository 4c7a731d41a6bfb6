import type { Command, TextState } from './edit.ts'
import { LATER_COMMANDS, type LaterCommandName } from './later-commands.ts'
import { TOGGLE_COMMANDS, type ToggleCommandName } from './toggle-commands.ts'

/** The name of a command on the text: that of its button, or one without a button such as `heading-2` or `footnote`. */
export type TextCommandName = ToggleCommandName | LaterCommandName

/** What a button does to the text. */
export interface TextCommand {
  readonly run: Command
  /** Whether the selection has it already; absent for commands that only insert. */
  readonly isActive?: (state: TextState) => boolean
}

/**
 * The text commands by name. Commands with `isActive` toggle: used twice they give the text and the selection back
 * (`heading` goes round in seven steps).
 *
 * @example
 * const state = { text: 'one two', selectionStart: 4, selectionEnd: 7 }
 * const edit = TEXT_COMMANDS.bold.run(state)
 * if (edit !== null) applyEdit(state, edit).text // 'one **two**'
 */
export const TEXT_COMMANDS: Readonly<Record<TextCommandName, TextCommand>> = { ...TOGGLE_COMMANDS, ...LATER_COMMANDS }

/** True for the name of a text command. */
export function isTextCommand(name: string): name is TextCommandName {
  return Object.hasOwn(TEXT_COMMANDS, name)
}

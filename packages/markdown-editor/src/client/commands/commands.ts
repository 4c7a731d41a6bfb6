import type { ToolbarButton } from '../../contract/toolbar.ts'
import { details, horizontalRule, table } from './blocks.ts'
import { code, isCode } from './code.ts'
import { codeBlock, isCodeBlock } from './code-block.ts'
import type { Command, TextState } from './edit.ts'
import { INLINE_COMMANDS } from './inline.ts'
import { heading, LIST_COMMANDS, quote } from './lines.ts'
import { embed, link } from './links.ts'

/** The buttons that change the text by a rule; the others choose a file or go through the history. */
export type TextCommandName = Exclude<ToolbarButton, 'image' | 'video' | 'document' | 'undo' | 'redo'>

/** What a button does to the text. */
export interface TextCommand {
  readonly run: Command
  /** Whether the selection has it already; absent for commands that only insert. */
  readonly isActive?: (state: TextState) => boolean
}

/**
 * The text commands by the name of their button. Commands with `isActive` toggle: used twice they give the text back
 * (`heading` goes round in seven steps).
 *
 * @example
 * const state = { text: 'one two', selectionStart: 4, selectionEnd: 7 }
 * const edit = TEXT_COMMANDS.bold.run(state)
 * if (edit !== null) applyEdit(state, edit).text // 'one **two**'
 */
export const TEXT_COMMANDS: Readonly<Record<TextCommandName, TextCommand>> = {
  ...INLINE_COMMANDS,
  ...LIST_COMMANDS,
  heading,
  quote,
  code: { run: code, isActive: isCode },
  'code-block': { run: codeBlock, isActive: isCodeBlock },
  'horizontal-rule': { run: horizontalRule },
  link: { run: link },
  table: { run: table },
  details: { run: details },
  embed: { run: embed },
}

/** True for the name of a text command. */
export function isTextCommand(name: string): name is TextCommandName {
  return Object.hasOwn(TEXT_COMMANDS, name)
}

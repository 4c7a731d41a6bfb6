import { details, horizontalRule, table } from './blocks.ts'
import { code, codeBlock } from './code.ts'
import { type Command, replacing, spliced, type TextState } from './edit.ts'
import { indentLines, outdentLines } from './indent.ts'
import { INLINE_COMMANDS } from './inline.ts'
import { heading, headingOf, quote } from './lines.ts'
import { embed, link } from './links.ts'
import { LIST_COMMANDS } from './lists.ts'
import { lineStart } from './selection.ts'

/** Inserts a footnote reference, and puts the caret in a new definition at the end of the text. */
const footnote: Command = ({ text, selectionEnd }) => {
  const used = Array.from(text.matchAll(/\[\^(\d{1,9})\]/g), ([, digits]) => Number(digits))
  const number = used.reduce((most, each) => Math.max(most, each), 0) + 1
  // Definitions follow each other without blank lines.
  const isDefined = /^\[\^[^\]\n]+\]:/.test(text.slice(lineStart(text, text.length)))
  const gap = isDefined ? '\n' : text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  const end = text.length
  return spliced({ text, selectionStart: end, selectionEnd: end }, [
    { at: selectionEnd, removed: 0, added: `[^${number}]` },
    { at: end, removed: 0, added: `${gap}[^${number}]: ` },
  ])
}

const lineBreak: Command = ({ selectionEnd }) =>
  replacing({ start: selectionEnd, end: selectionEnd }, '  \n')

interface TextCommand {
  readonly run: Command
  /** Whether the selection already has the formatting. Absent for commands that do not toggle. */
  readonly isActive?: (state: TextState) => boolean
}

const COMMANDS = {
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
  'horizontal-rule': { run: horizontalRule },
  link: { run: link },
  table: { run: table },
  details: { run: details },
  embed: { run: embed },
  footnote: { run: footnote },
  'line-break': { run: lineBreak },
  indent: { run: indentLines },
  outdent: { run: outdentLines },
}

/** The name of a text command. Some commands, such as `indent`, have no toolbar button. */
export type TextCommandName = keyof typeof COMMANDS

/**
 * The text commands by name. Commands with `isActive` toggle: on plain text, running one twice
 * restores the text and the selection. `heading` restores them after seven runs.
 *
 * @example
 * const state = { text: 'one two', selectionStart: 4, selectionEnd: 7 }
 * const edit = TEXT_COMMANDS.bold.run(state)
 * if (edit !== null) applyEdit(state, edit).text // 'one **two**'
 */
export const TEXT_COMMANDS: Readonly<Record<TextCommandName, TextCommand>> = COMMANDS

/** Returns whether a name is the name of a text command. */
export function isTextCommand(name: string): name is TextCommandName {
  return Object.hasOwn(TEXT_COMMANDS, name)
}

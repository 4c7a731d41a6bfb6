import { indentLines, moveLinesDown, moveLinesUp, outdentLines } from '../writing/indent.ts'
import { details, horizontalRule, table } from './blocks.ts'
import type { Command } from './edit.ts'
import { footnote, lineBreak } from './footnote.ts'
import { embed, link } from './links.ts'

/** The name of a command that inserts something, or moves lines. */
export type LaterCommandName =
  | 'horizontal-rule'
  | 'link'
  | 'table'
  | 'details'
  | 'embed'
  | 'footnote'
  | 'line-break'
  | 'indent'
  | 'outdent'
  | 'move-up'
  | 'move-down'

/** The commands that do not toggle: loaded when the editor gets the focus. */
export const LATER_COMMANDS: Readonly<Record<LaterCommandName, { readonly run: Command }>> = {
  'horizontal-rule': { run: horizontalRule },
  link: { run: link },
  table: { run: table },
  details: { run: details },
  embed: { run: embed },
  footnote: { run: footnote },
  'line-break': { run: lineBreak },
  indent: { run: indentLines },
  outdent: { run: outdentLines },
  'move-up': { run: moveLinesUp },
  'move-down': { run: moveLinesDown },
}

import { details, horizontalRule, table } from './blocks.ts'
import type { Command } from './edit.ts'
import { footnote, lineBreak } from './footnote.ts'
import { embed, link } from './links.ts'

/** The name of a command that inserts something. */
export type InsertCommandName = 'horizontal-rule' | 'link' | 'table' | 'details' | 'embed' | 'footnote' | 'line-break'

/** The commands that insert something: loaded when they may soon be used. */
export const INSERT_COMMANDS: Readonly<Record<InsertCommandName, { readonly run: Command }>> = {
  'horizontal-rule': { run: horizontalRule },
  link: { run: link },
  table: { run: table },
  details: { run: details },
  embed: { run: embed },
  footnote: { run: footnote },
  'line-break': { run: lineBreak },
}

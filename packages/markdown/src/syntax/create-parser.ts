import type { MarkdownIt } from 'markdown-it'
import type { AlertTitles } from '../grammar/alert-kinds.ts'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import type { EmbedHost } from '../policy/policy.ts'
import { addAlerts } from './alerts.ts'
import { addAutolinks } from './autolinks.ts'
import { addEmbedLines } from './embed-lines.ts'
import { useFastLinks, useFastStates } from './faster.ts'
import { addFootnotes } from './footnotes.ts'
import { limitQuotes, limitTables } from './limits.ts'
import { addMark } from './mark.ts'
import { addSubAndSup } from './sub-and-sup.ts'
import { addTaskLists } from './task-lists.ts'

/**
 * Creates the parser with all syntax of the renderer. `TokenWriter` converts its tokens to HTML.
 */
export function createParser(
  markdownIt: MarkdownItConstructor,
  embeds: readonly EmbedHost[] = [],
  alertTitles?: AlertTitles,
): MarkdownIt {
  const parser = new markdownIt({ html: true }) as MarkdownIt
  useFastStates(parser)
  // Enables the `linkify` rules. `addAutolinks` replaces the functions of these rules.
  parser.set({ linkify: true })
  // `HtmlWriter` checks URLs later. From a link with a forbidden URL, it removes only the `href`.
  parser.validateLink = () => true
  useFastLinks(parser)
  limitTables(parser, markdownIt)
  limitQuotes(parser, markdownIt)
  addAutolinks(parser)
  addMark(parser)
  addSubAndSup(parser)
  addTaskLists(parser)
  addAlerts(parser, alertTitles)
  addFootnotes(parser)
  addEmbedLines(parser, embeds)
  return parser
}

import type { MarkdownIt, RendererRule } from 'markdown-it'
import type { AlertTitles } from '../grammar/alert-kinds.ts'
import type { MarkdownItConstructor, MarkdownItPlugin } from '../grammar/markdown-it-like.ts'
import type { EmbedHost } from '../policy/policy.ts'
import { addAlerts } from '../syntax/alerts.ts'
import { addAutolinks } from '../syntax/autolinks.ts'
import { addEmbedLines } from '../syntax/embed-lines.ts'
import { addFootnotes } from '../syntax/footnotes.ts'
import { addMark } from '../syntax/mark.ts'
import { limitQuotes } from '../syntax/quote-limit.ts'
import { addSubAndSup } from '../syntax/sub-and-sup.ts'
import { limitTables } from '../syntax/table-limit.ts'
import { addTaskLists } from '../syntax/task-lists.ts'
import { useFastLinks } from './fast-links.ts'
import { useFastStates } from './fast-states.ts'

/** What a parser is made with. */
export interface ParserOptions {
  readonly markdownIt: MarkdownItConstructor
  readonly embeds: readonly EmbedHost[]
  readonly alertTitles: AlertTitles | undefined
  readonly plugins: readonly MarkdownItPlugin[]
}

/**
 * Makes the parser, with all syntax that the renderer knows. Its tokens are written by the renderer's own writer.
 */
export function createParser({
  markdownIt,
  embeds,
  alertTitles,
  plugins,
}: ParserOptions): MarkdownIt {
  const parser = new markdownIt({ html: true }) as MarkdownIt
  useFastStates(parser)
  // Our own rules find addresses; plugins may ask for the option.
  parser.set({ linkify: true })
  // The policy alone judges URLs: a link that it refuses stays a link without an address, as CommonMark reads it.
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
  addEmbedLines(parser, { embeds })
  for (const plugin of plugins) plugin(parser)
  return parser
}

/**
 * Finds the renderer rules that plugins have set.
 *
 * @param markdownIt - the class of the parser
 */
export function pluginRulesOf(
  parser: MarkdownIt,
  markdownIt: MarkdownItConstructor,
): Map<string, RendererRule> {
  const stock = (new markdownIt() as MarkdownIt).renderer.rules
  return new Map(
    Object.entries(parser.renderer.rules).filter(([type, rule]) => stock[type] !== rule),
  )
}

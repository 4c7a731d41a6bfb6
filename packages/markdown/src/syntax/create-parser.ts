import type { MarkdownIt, RendererRule } from 'markdown-it'
import type { AlertTitles } from '../grammar/alert-kinds.ts'
import type { MarkdownItConstructor, MarkdownItPlugin } from '../grammar/markdown-it-like.ts'
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

interface ParserOptions {
  readonly embeds?: readonly EmbedHost[]
  readonly alertTitles?: AlertTitles | undefined
  readonly plugins?: readonly MarkdownItPlugin[]
}

/** Creates the parser with all syntax of the renderer. Its tokens are written by `TokenWriter`. */
export function createParser(
  markdownIt: MarkdownItConstructor,
  { embeds = [], alertTitles, plugins = [] }: ParserOptions = {},
): MarkdownIt {
  const parser = new markdownIt({ html: true }) as MarkdownIt
  useFastStates(parser)
  // Our own rules find addresses, but plugins may read the option.
  parser.set({ linkify: true })
  // Only the policy checks URLs. A link with a forbidden URL becomes a link without an address.
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
  for (const plugin of plugins) plugin(parser)
  return parser
}

/** Returns the renderer rules of plugins. */
export function pluginRulesOf(
  parser: MarkdownIt,
  markdownIt: MarkdownItConstructor,
): Map<string, RendererRule> {
  const stock = (new markdownIt() as MarkdownIt).renderer.rules
  const rules = Object.entries(parser.renderer.rules)
  return new Map(rules.filter(([type, rule]) => stock[type] !== rule))
}

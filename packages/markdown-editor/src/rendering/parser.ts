import type { MarkdownIt } from 'markdown-it'
import type { MarkdownItConstructor } from './markdown-it-like.ts'
import type { RenderPolicy } from './policy/policy.ts'
import { addAlerts } from './syntax/alerts.ts'
import { addAutolinks } from './syntax/autolinks.ts'
import { addFootnotes } from './syntax/footnotes.ts'
import { addHeadingIds } from './syntax/heading-ids.ts'
import { addMark } from './syntax/mark.ts'
import { addRawHtml } from './syntax/raw-html.ts'
import { limitReferences } from './syntax/reference-limit.ts'
import { addSubAndSup } from './syntax/sub-and-sup.ts'
import { limitTables } from './syntax/table-limit.ts'
import { addTaskLists } from './syntax/task-lists.ts'
import { useAlignAttributes, useDel } from './syntax/vocabulary.ts'

/**
 * Makes a function from markdown to HTML that is well-formed tag by tag, and not yet safe.
 */
export function createParser(markdownIt: MarkdownItConstructor, { idPrefix }: RenderPolicy): (text: string) => string {
  const parser = new markdownIt({ html: true, linkify: true }) as MarkdownIt
  // The sanitizer alone judges URLs: a link that it refuses stays a link without an address, as CommonMark reads it.
  parser.validateLink = () => true
  limitReferences(parser)
  limitTables(parser, markdownIt)
  addAutolinks(parser)
  addMark(parser)
  addSubAndSup(parser)
  addTaskLists(parser)
  addAlerts(parser)
  addHeadingIds(parser, idPrefix)
  addFootnotes(parser, idPrefix)
  useAlignAttributes(parser)
  useDel(parser)
  addRawHtml(parser) // last: it follows the tags in the order of the output
  return (text) => parser.render(text, {})
}

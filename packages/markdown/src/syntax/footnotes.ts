import type { MarkdownIt, StateInline } from 'markdown-it'
import { documentOf } from '../document/environment.ts'
import { readDefinition } from './footnote-definitions.ts'

const openingBracket = 0x5b
const reference = /\[\^([^\s[\]]{1,100})\]/y

/**
 * Reads footnotes as GitHub does: `text[^label]` and `[^label]: note`. They are numbered by their first reference; the
 * definitions come out between tokens `footnote_open` and `footnote_close`.
 */
export function addFootnotes(parser: MarkdownIt): void {
  parser.block.ruler.before('table', 'footnote_definition', readDefinition, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  parser.inline.ruler.before('link', 'footnote_reference', readReference)
}

function readReference(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== openingBracket) return false
  reference.lastIndex = state.pos
  const match = reference.exec(state.src)
  if (match === null || reference.lastIndex > state.posMax) return false
  const document = documentOf(state.env)
  const label = state.md.utils.normalizeReference(match[1] ?? '')
  if (!document.isFootnote(label)) return false
  state.pos += match[0].length
  const footnote = silent ? null : document.refer(label)
  if (footnote === null) return true
  state.push('footnote_reference', '', 0).meta = { footnote }
  return true
}

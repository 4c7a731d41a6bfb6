import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { documentOf, notesOf } from '../document/environment.ts'

const openingBracket = 0x5b
const mark = /\[\^([^\s[\]]{1,100})\]:[ \t]*/y
const reference = /\[\^([^\s[\]]{1,100})\]/y

/** Adds footnotes as on GitHub: `text[^label]` and `[^label]: note`. */
export function addFootnotes(parser: MarkdownIt): void {
  parser.block.ruler.before('table', 'footnote_definition', readDefinition, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  parser.inline.ruler.before('link', 'footnote_reference', readReference)
}

function readDefinition(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  mark.lastIndex = start
  const written = mark.exec(state.src)?.[1]
  const contentStart = mark.lastIndex
  if (written === undefined || contentStart > (state.eMarks[startLine] ?? 0)) return false
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  if (silent) return true
  const label = state.md.utils.normalizeReference(written)
  notesOf(state.env).footnotes.add(label)
  state.push('footnote_open', '', 1).meta = { label }
  readContent(state, startLine, endLine, contentStart)
  state.push('footnote_close', '', -1)
  return true
}

// The content begins after the colon in the first line and after four columns in the other lines.
function readContent(state: StateBlock, line: number, endLine: number, contentStart: number): void {
  const { blkIndent, parentType } = state
  const before = [
    state.bMarks[line] ?? 0,
    state.tShift[line] ?? 0,
    state.sCount[line] ?? 0,
  ] as const
  state.bMarks[line] = contentStart
  state.tShift[line] = 0
  state.blkIndent += 4
  state.sCount[line] = state.blkIndent
  state.parentType = 'footnote'
  state.md.block.tokenize(state, line, endLine)
  Object.assign(state, { blkIndent, parentType })
  ;[state.bMarks[line], state.tShift[line], state.sCount[line]] = before
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

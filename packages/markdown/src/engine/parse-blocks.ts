import type { MarkdownIt, Token } from 'markdown-it'
import type { Definitions } from '../document/document-state.ts'
import { createBlockEnvironment, definitionsOf, notesOf } from '../document/environment.ts'

/** One or several top-level blocks of a text, with the blank lines after them. */
export interface SourcePart {
  readonly length: number
  /** The number of line breaks. */
  readonly lines: number
  /** The number of blank lines before the first block. Only the first part can have such lines. */
  readonly skipped: number
  readonly definitions: readonly Definitions[]
  readonly emptyCells: number
}

/** A top-level block of a text. Parsing only its source would result in the same block. */
export interface Block extends SourcePart {
  readonly tokens: Token[]
}

/** Returns the sum of one property of all parts. */
export function sumOf(
  parts: readonly SourcePart[],
  what: 'length' | 'lines' | 'emptyCells',
): number {
  return parts.reduce((total, part) => total + part[what], 0)
}

/** Parses the top-level blocks of a normalized text, like `md.block.parse`. */
export function parseBlocks(parser: MarkdownIt, source: string): Block[] {
  const rules = parser.block.ruler.getRules('')
  const state = new parser.block.State(source, parser, {}, [])
  // If the last line has no line break, there is one line break less than there are lines.
  const lineBreaks = source.endsWith('\n') ? state.lineMax : state.lineMax - 1
  const blocks: Block[] = []
  let filled = 0
  let from = 0
  let position = 0
  for (let line = state.skipEmptyLines(0); line < state.lineMax; ) {
    const environment = createBlockEnvironment(filled)
    const tokens: Token[] = []
    Object.assign(state, { env: environment, tokens, line })
    // The paragraph rule accepts everything that no other rule accepts.
    rules.some((rule) => rule(state, line, state.lineMax, false))
    if (state.line <= line)
      throw new Error('A block rule of markdown-it accepted a line, but did not move past it.')
    const next = state.skipEmptyLines(state.line)
    const isLast = next >= state.lineMax
    const end = isLast ? source.length : (state.bMarks[next] ?? 0)
    const definitions = definitionsOf(environment)
    const { emptyCells } = notesOf(environment)
    blocks.push({
      tokens,
      length: end - position,
      lines: (isLast ? lineBreaks : next) - from,
      skipped: line - from,
      definitions: definitions.links.size + definitions.footnotes.size > 0 ? [definitions] : [],
      emptyCells: emptyCells - filled,
    })
    filled = emptyCells
    position = end
    from = next
    line = next
  }
  return blocks
}

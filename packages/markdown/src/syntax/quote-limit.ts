import type { MarkdownIt, StateBlock } from 'markdown-it'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import { stockBlockRule } from './stock-block-rule.ts'

/** How many times lines without `>` may be followed by lines with `>` in one quote. */
export const maxLazyRuns = 32

/**
 * Bounds the lines without `>` ("lazy" lines) in a quote. To find the end of a quote, markdown-it reads all lines up to
 * the next empty one. If the quote ends early, because a line without `>` does not continue a paragraph, markdown-it
 * reads the same lines again for the next quote, so that time grows with the square of the text. Here a quote ends after
 * {@link maxLazyRuns} changes from lines without `>` to lines with it, and the next line begins another quote.
 *
 * @param markdownIt - the class of the parser
 */
export function limitQuotes(parser: MarkdownIt, markdownIt: MarkdownItConstructor): void {
  const quote = stockBlockRule(markdownIt, 'blockquote')
  const limited: typeof quote = (state, startLine, endLine, silent) => {
    const end = silent ? endLine : endOfQuote(state, startLine, endLine)
    if (end === endLine) return quote(state, startLine, endLine, silent)
    const { lineMax } = state
    state.lineMax = end
    const isQuote = quote(state, startLine, end, silent)
    state.lineMax = lineMax
    return isQuote
  }
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  parser.block.ruler.at('blockquote', limited, { alt })
}

/** The line at which a quote must end because of its lazy lines, or `endLine`. */
function endOfQuote(state: StateBlock, startLine: number, endLine: number): number {
  let runs = 0
  let last: Line = 'lazy'
  for (let line = startLine; line < endLine && !state.isEmpty(line); line++) {
    const kind = kindOf(state, line)
    if (kind !== 'lazy') {
      if (last === 'lazy' && line > startLine && ++runs > maxLazyRuns) return line
    } else if (line === startLine || last === 'bare' || endsQuote(state, line, endLine))
      return endLine
    last = kind
  }
  return endLine
}

/** A line with `>` and text, with `>` alone, or without `>`. */
type Line = 'marked' | 'bare' | 'lazy'

function kindOf(state: StateBlock, line: number): Line {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  const isOutdented = (state.sCount[line] ?? 0) < state.blkIndent
  if (isOutdented || !state.src.startsWith('>', start)) return 'lazy'
  return state.skipSpaces(start + 1) >= (state.eMarks[line] ?? 0) ? 'bare' : 'marked'
}

/** Whether a block that begins at a lazy line ends the quote, as markdown-it's own rule asks. */
function endsQuote(state: StateBlock, line: number, endLine: number): boolean {
  const { parentType } = state
  state.parentType = 'blockquote'
  const isEnd = state.md.block.ruler
    .getRules('blockquote')
    .some((rule) => rule(state, line, endLine, true))
  state.parentType = parentType
  return isEnd
}

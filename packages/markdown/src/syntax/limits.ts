import type { MarkdownIt, StateBlock, Token } from 'markdown-it'
import { notesOf } from '../document/environment.ts'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'

/** If the bodies of all tables have more empty cells than this number, later tables become text. */
export const maxEmptyCells = 20_000

// The maximum number of times that a quote may return from lines without `>` to a line with `>`.
const maxLazyRuns = 32

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean

/**
 * Limits the empty cells of all tables together. markdown-it adds cells to short rows, and limits
 * the added cells only for each table (65,536). After {@link maxEmptyCells}, later tables are text.
 */
export function limitTables(parser: MarkdownIt, markdownIt: MarkdownItConstructor): void {
  const table = stockBlockRule(markdownIt, 'table')
  const limited: BlockRule = (state, startLine, endLine, silent) => {
    const before = state.tokens.length
    const notes = notesOf(state.env)
    if (notes.emptyCells > maxEmptyCells || !table(state, startLine, endLine, silent)) return false
    if (!silent) notes.emptyCells += countEmptyCells(state.tokens, before)
    return true
  }
  parser.block.ruler.at('table', limited, { alt: ['paragraph', 'reference'] })
}

function countEmptyCells(tokens: readonly Token[], start: number): number {
  let count = 0
  for (let index = start; index < tokens.length; index++) {
    if (tokens[index]?.type === 'td_open' && tokens[index + 1]?.content === '') count++
  }
  return count
}

/**
 * Ends a quote after 32 changes from lines without `>` to lines with `>`. To find the end of a
 * quote, markdown-it reads all lines up to the next empty line. If a line without `>` ends the
 * quote early, markdown-it reads the same lines again for the next quote. Without the limit, this
 * would take quadratic time.
 */
export function limitQuotes(parser: MarkdownIt, markdownIt: MarkdownItConstructor): void {
  const quote = stockBlockRule(markdownIt, 'blockquote')
  const limited: BlockRule = (state, startLine, endLine, silent) => {
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

// Returns the line at which the limit ends a quote. If the limit is not reached, returns `endLine`.
function endOfQuote(state: StateBlock, startLine: number, endLine: number): number {
  let runs = 0
  let last: QuoteLine = 'lazy'
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

/** A `marked` line has `>` and text. A `bare` line has only `>`. A `lazy` line has no `>`. */
type QuoteLine = 'marked' | 'bare' | 'lazy'

function kindOf(state: StateBlock, line: number): QuoteLine {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  const isOutdented = (state.sCount[line] ?? 0) < state.blkIndent
  if (isOutdented || !state.src.startsWith('>', start)) return 'lazy'
  return state.skipSpaces(start + 1) >= (state.eMarks[line] ?? 0) ? 'bare' : 'marked'
}

// Returns true if another block begins at a lazy line, so that the quote ends there.
function endsQuote(state: StateBlock, line: number, endLine: number): boolean {
  // markdown-it marks lazy lines of an outer quote with a negative indentation.
  if ((state.sCount[line] ?? 0) < 0) return false
  const { parentType } = state
  state.parentType = 'blockquote'
  const isEnd = state.md.block.ruler
    .getRules('blockquote')
    .some((rule) => rule(state, line, endLine, true))
  state.parentType = parentType
  return isEnd
}

// Returns a block rule of markdown-it, which does not export its rules.
function stockBlockRule(markdownIt: MarkdownItConstructor, name: string): BlockRule {
  const { ruler } = (new markdownIt() as MarkdownIt).block
  ruler.enableOnly([name])
  const [rule] = ruler.getRules('')
  if (rule === undefined) throw new TypeError(`markdown-it has no rule "${name}".`)
  return rule
}

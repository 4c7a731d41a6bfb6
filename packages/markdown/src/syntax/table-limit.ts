import type { MarkdownIt, Token } from 'markdown-it'
import { notesOf } from '../document/environment.ts'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import { stockBlockRule } from './stock-block-rule.ts'

/** How many cells a text may have its tables filled up with. */
export const maxEmptyCells = 20_000

/**
 * Bounds the cells that rows shorter than their header are filled up with. markdown-it bounds them for one table
 * (65,536), which a text may hold many of: here, once {@link maxEmptyCells} are there, what follows is no table.
 *
 * @param markdownIt - the class of the parser
 */
export function limitTables(parser: MarkdownIt, markdownIt: MarkdownItConstructor): void {
  const table = stockBlockRule(markdownIt, 'table')
  const limited: typeof table = (state, startLine, endLine, silent) => {
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

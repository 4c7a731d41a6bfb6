import type { MarkdownIt, Token } from 'markdown-it'
import { DocumentState, type LinkDefinition } from '../document/document-state.ts'
import { createBlockEnvironment, documentOf, notesOf, toInlineEnvironment } from '../document/environment.ts'
import { type BuilderParts, DocumentBuilder } from './document-builder.ts'
import type { Block } from './parse-blocks.ts'
import { maxSizeOf } from './source.ts'
import type { Unit } from './unit.ts'

/**
 * Readies a parser for {@link renderWhole}: once the blocks are read, rules can ask the document.
 *
 * @param maxHighlighted - how many UTF-16 units of code may be highlighted
 */
export function prepareForWhole(parser: MarkdownIt, maxHighlighted: number): void {
  parser.core.ruler.after('block', 'document_state', ({ env, src }) => {
    const links = new Map(Object.entries(env['references'] as Record<string, LinkDefinition>))
    const { footnotes } = notesOf(env)
    toInlineEnvironment(new DocumentState({ links, footnotes }, src.length, maxHighlighted), env)
  })
}

/**
 * Renders a text in one go, as plugins of markdown-it expect it: their rules may look at all tokens of the document.
 *
 * @param source - normalized
 * @throws RangeError when the HTML would grow too large
 */
export function renderWhole(parts: BuilderParts, source: string): readonly Unit[] {
  const environment = createBlockEnvironment(0)
  const core = new parts.parser.core.State(source, parts.parser, environment)
  parts.parser.core.process(core)
  const builder = new DocumentBuilder(parts, documentOf(environment), maxSizeOf(source))
  for (const block of cutBlocks(core.tokens)) builder.write(block, block.tokens)
  builder.end()
  const section = builder.footnotes()
  return section === null ? builder.units : [...builder.units, section.unit]
}

// Top-level blocks, as far as a builder needs them: they are never read again.
function cutBlocks(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = []
  let block: Token[] = []
  let depth = 0
  let line = 0
  for (const token of tokens) {
    block.push(token)
    depth += token.nesting
    if (depth > 0) continue
    const end = block[0]?.map?.[1] ?? line
    blocks.push({ length: 0, lines: Math.max(end - line, 0), tokens: block, definitions: [], emptyCells: 0 })
    line = Math.max(end, line)
    block = []
    depth = 0
  }
  return blocks
}

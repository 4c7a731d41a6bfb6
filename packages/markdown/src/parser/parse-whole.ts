import type { MarkdownIt, Token } from 'markdown-it'
import { DocumentState, type LinkDefinition } from '../document/document-state.ts'
import {
  createBlockEnvironment,
  type Environment,
  notesOf,
  toInlineEnvironment,
} from '../document/environment.ts'

/**
 * Prepares a parser for {@link parseWhole}: when the blocks are read, inline rules can ask the
 * document for its link references and footnotes.
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
 * Parses a text in one go.
 *
 * @param parser - prepared by {@link prepareForWhole}
 */
export function parseWhole(
  parser: MarkdownIt,
  source: string,
): { tokens: readonly Token[]; environment: Environment } {
  const environment = createBlockEnvironment(0)
  const core = new parser.core.State(source, parser, environment)
  parser.core.process(core)
  return { tokens: core.tokens, environment }
}

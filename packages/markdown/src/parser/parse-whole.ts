import type { MarkdownIt, Token } from 'markdown-it'
import { DocumentState, type LinkDefinition } from '../document/document-state.ts'
import {
  createBlockEnvironment,
  type Environment,
  notesOf,
  toInlineEnvironment,
} from '../document/environment.ts'

/**
 * Prepares a parser for {@link parseWhole}: after the blocks are parsed, inline rules can look up
 * link references and footnotes in the document.
 *
 * @param maxHighlighted - the length of code that may be highlighted, in UTF-16 units
 */
export function prepareForWhole(parser: MarkdownIt, maxHighlighted: number): void {
  parser.core.ruler.after('block', 'document_state', ({ env, src }) => {
    const links = new Map(Object.entries(env['references'] as Record<string, LinkDefinition>))
    const { footnotes } = notesOf(env)
    toInlineEnvironment(new DocumentState({ links, footnotes }, src.length, maxHighlighted), env)
  })
}

/**
 * Parses a whole text at once.
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

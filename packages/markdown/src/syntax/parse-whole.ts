import type { MarkdownIt, Token } from 'markdown-it'
import { DocumentState } from '../document/document-state.ts'
import {
  createBlockEnvironment,
  type Environment,
  linksOf,
  notesOf,
  toInlineEnvironment,
} from '../document/environment.ts'
import { maxHighlightedDocument } from '../highlighting/highlighter.ts'

/** Lets inline rules look up link references and footnotes after the blocks are parsed. */
export function prepareForWhole(parser: MarkdownIt): void {
  parser.core.ruler.after('block', 'document_state', ({ env, src }) => {
    const definitions = { links: linksOf(env), footnotes: notesOf(env).footnotes }
    toInlineEnvironment(new DocumentState(definitions, src.length, maxHighlightedDocument), env)
  })
}

/** Parses a whole text at once, with a parser from {@link prepareForWhole}. */
export function parseWhole(
  parser: MarkdownIt,
  source: string,
): { tokens: readonly Token[]; environment: Environment } {
  const environment = createBlockEnvironment(0)
  const core = new parser.core.State(source, parser, environment)
  parser.core.process(core)
  return { tokens: core.tokens, environment }
}

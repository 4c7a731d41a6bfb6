import type { Token } from 'markdown-it'
import { parseWhole } from '../syntax/parse-whole.ts'
import { type BuilderParts, DocumentBuilder } from './document-builder.ts'
import { maxSizeOf } from './source.ts'
import type { Unit } from './unit.ts'

/**
 * Renders a whole text at once, because the rules of plugins may look at all tokens of the
 * document.
 *
 * @param source - normalized
 * @throws TooLargeError if the HTML is larger than the limit
 */
export function renderWhole(parts: BuilderParts, source: string): readonly Unit[] {
  const { tokens: all, environment } = parseWhole(parts.parser, source)
  const builder = new DocumentBuilder(parts, environment, maxSizeOf(source))
  const cuts = cutTokens(all)
  const lineBreaks = source.split('\n').length - 1
  for (const [index, { line, tokens }] of cuts.entries()) {
    const start = index === 0 ? 0 : line
    const lines = Math.max((cuts[index + 1]?.line ?? lineBreaks) - start, 0)
    builder.write({
      tokens,
      length: 0,
      lines,
      skipped: line - start,
      definitions: [],
      emptyCells: 0,
    })
  }
  return builder.end()
}

// Tokens of plugins may lack a line. They get that of the block before them.
function cutTokens(tokens: readonly Token[]): { line: number; tokens: Token[] }[] {
  const parts: { line: number; tokens: Token[] }[] = []
  let part: Token[] = []
  let depth = 0
  let line = 0
  for (const [index, token] of tokens.entries()) {
    part.push(token)
    depth += token.nesting
    if (depth > 0 && index < tokens.length - 1) continue
    line = Math.max(line, part[0]?.map?.[0] ?? line)
    parts.push({ line, tokens: part })
    part = []
    depth = 0
  }
  return parts
}

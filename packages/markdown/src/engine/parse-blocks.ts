import type { MarkdownIt, StateBlock, Token } from 'markdown-it'
import type { Definitions, LinkDefinition } from '../document/document-state.ts'
import { createBlockEnvironment, notesOf } from '../document/environment.ts'

/** The number of lines of a top-level block. The blank lines after it belong to it. */
export interface BlockLines {
  /** The number of line breaks in its source. */
  readonly lines: number
  /** The number of blank lines before its first line. Only the first block of a text has some. */
  readonly skipped: number
}

/** A top-level block of a text. Its source, parsed alone, results in the same block. */
export interface Block extends BlockLines {
  /** The length of its source up to the next block, in UTF-16 units. */
  readonly length: number
  readonly tokens: Token[]
  /** Has no entry or one. */
  readonly definitions: readonly Definitions[]
  /** The number of cells that were added to short table rows. */
  readonly emptyCells: number
}

type BlockContent = Omit<Block, 'length' | keyof BlockLines>

/**
 * Parses the top-level blocks of a text one after the other, as `md.block.parse` does.
 *
 * @param source - with line feeds only
 * @param emptyCells - the number of cells that were added to tables before this text
 */
export function parseBlocks(parser: MarkdownIt, source: string, emptyCells = 0): Block[] {
  const state = new parser.block.State(source, parser, createBlockEnvironment(emptyCells), [])
  const starts: number[] = []
  const parts: BlockContent[] = []
  let filled = emptyCells
  for (
    let line = state.skipEmptyLines(0);
    line < state.lineMax;
    line = state.skipEmptyLines(state.line)
  ) {
    starts.push(line)
    const part = parseBlock(parser, state, line, filled)
    filled += part.emptyCells
    parts.push(part)
  }
  return parts.map((part, index) => {
    const from = index === 0 ? 0 : (starts[index] ?? 0)
    const to = starts[index + 1]
    const end = to === undefined ? source.length : (state.bMarks[to] ?? 0)
    const lines = (to ?? lineBreaksIn(source, state)) - from
    const skipped = (starts[index] ?? 0) - from
    return { ...part, length: end - (index === 0 ? 0 : (state.bMarks[from] ?? 0)), lines, skipped }
  })
}

function parseBlock(
  parser: MarkdownIt,
  state: StateBlock,
  line: number,
  emptyCells: number,
): BlockContent {
  const environment = createBlockEnvironment(emptyCells)
  const tokens: Token[] = []
  Object.assign(state, { env: environment, tokens, line })
  // The paragraph rule accepts everything that no other rule accepts.
  parser.block.ruler.getRules('').some((rule) => rule(state, line, state.lineMax, false))
  if (state.line <= line) throw new Error('A block rule of markdown-it did not advance.')
  const notes = notesOf(environment)
  const definitions = definitionsOf(
    environment['references'] as Record<string, LinkDefinition>,
    notes.footnotes,
  )
  return { tokens, definitions, emptyCells: notes.emptyCells - emptyCells }
}

function definitionsOf(
  references: Record<string, LinkDefinition>,
  footnotes: ReadonlySet<string>,
): Definitions[] {
  const links = Object.entries(references)
  return links.length + footnotes.size === 0 ? [] : [{ links: new Map(links), footnotes }]
}

// A last line without a line break is a line, but not a line break.
function lineBreaksIn(source: string, state: StateBlock): number {
  return source.endsWith('\n') ? state.lineMax : state.lineMax - 1
}

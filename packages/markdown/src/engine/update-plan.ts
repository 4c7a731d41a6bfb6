import type { MarkdownIt } from 'markdown-it'
import { commonEnds } from '../grammar/common-ends.ts'
import { type Block, parseBlocks } from './parse-blocks.ts'
import type { Segment } from './segment.ts'

/** The old segments that are kept at the start and at the end, and the new blocks between them. */
export interface UpdatePlan {
  /** The number of segments that are kept at the start. */
  readonly kept: number
  readonly blocks: readonly Block[]
  /** The index of the first segment that is kept at the end. */
  readonly resumed: number
}

/**
 * Parses only the blocks of a text that may differ from the previous text.
 *
 * A segment before the change is kept if the two lines after it are unchanged too. The parser needs
 * two lines to recognize the next block, because a table is recognized by its second line. After a
 * segment with a link definition, all lines up to the next blank line must be unchanged. Parsing
 * stops after the change, as soon as a new block begins where an unchanged old segment begins.
 */
export function planUpdate(
  parser: MarkdownIt,
  before: { readonly source: string; readonly segments: readonly Segment[] },
  source: string,
): UpdatePlan {
  const { segments } = before
  const { prefix, suffix } = commonEnds(before.source, source)
  const shift = source.length - before.source.length
  const starts = startsOf(segments)
  const kept = countKept(source, segments, starts, prefix)
  const from = starts[kept] ?? 0
  // The index of the first old segment after the changed characters.
  const first = Math.max(kept + 1, countBelow(starts, before.source.length - suffix))
  // The positions in the new text at which this segment and the later ones start.
  const stops = starts.slice(first).map((start) => start + shift)
  for (let count = 2; ; count *= 4) {
    const limit = stops[count] ?? source.length
    const blocks = parseBlocks(parser, source.slice(from, limit))
    const stop = findStop(blocks, from, stops, (position) => {
      const end = endOfSecondLine(source, position)
      return end === -1 ? limit === source.length : end <= limit
    })
    if (stop !== null)
      return { kept, blocks: blocks.slice(0, stop.block), resumed: first + stop.index }
    if (limit === source.length) return { kept, blocks, resumed: segments.length }
  }
}

// Returns the first new block that begins where an unchanged old segment begins (a stop). `isSure`
// returns true if the parser has read enough lines after a position to recognize the block there.
function findStop(
  blocks: readonly Block[],
  from: number,
  stops: readonly number[],
  isSure: (position: number) => boolean,
): { block: number; index: number } | null {
  let position = from
  let index = 0
  for (const [block, { length }] of blocks.entries()) {
    while ((stops[index] ?? position) < position) index++
    if (stops[index] === position && position > 0 && isSure(position)) return { block, index }
    position += length
  }
  return null
}

function startsOf(segments: readonly Segment[]): number[] {
  let position = 0
  return segments.map(({ length }) => {
    const start = position
    position += length
    return start
  })
}

function countBelow(starts: readonly number[], limit: number): number {
  const found = starts.findIndex((start) => start >= limit)
  return found === -1 ? starts.length : found
}

function countKept(
  source: string,
  segments: readonly Segment[],
  starts: readonly number[],
  prefix: number,
): number {
  let kept = 0
  let runEnd = 0
  for (let index = 1; index < starts.length; index++) {
    const start = starts[index] ?? 0
    const end = endOfSecondLine(source, start)
    if (end === -1 || end > prefix) break
    if (segments[index - 1]?.definitions.some(({ links }) => links.size > 0)) {
      if (runEnd < start) runEnd = endOfRun(source, start)
      if (runEnd === -1 || runEnd > prefix) break
    }
    kept = index
  }
  return kept
}

const blankLine = /\n[ \t]*\n/g

// Returns the end of the first blank line that ends at or after `start`, or -1. A link definition
// with its title ends there at the latest.
function endOfRun(source: string, start: number): number {
  blankLine.lastIndex = Math.max(source.lastIndexOf('\n', start - 2), 0)
  return blankLine.test(source) ? blankLine.lastIndex : -1
}

function endOfSecondLine(source: string, start: number): number {
  const first = source.indexOf('\n', start)
  const second = first === -1 ? -1 : source.indexOf('\n', first + 1)
  return second === -1 ? -1 : second + 1
}

import type { MarkdownIt } from 'markdown-it'
import { type Block, parseBlocks } from './parse-blocks.ts'
import type { Unit } from './unit.ts'

/**
 * The change from one text to the next: units at the start and at the end are kept, new blocks
 * replace the others.
 */
export interface UpdatePlan {
  /** The number of units that are kept at the start. */
  readonly kept: number
  readonly blocks: readonly Block[]
  /** The index of the first unit that is kept at the end. */
  readonly resumed: number
}

/**
 * Parses only the blocks of a text that may differ from the previous text.
 *
 * The start of a top-level block depends only on the lines before it and on its first two lines (a
 * table is recognized by its second line). The exception are blocks after link definitions. So a
 * unit is kept if the two lines after it are unchanged, and parsing can stop at a block that begins
 * where an old unit after the change began.
 *
 * @param before - the previous text and its units
 * @param source - the new text
 */
export function planUpdate(
  parser: MarkdownIt,
  before: { readonly source: string; readonly units: readonly Unit[] },
  source: string,
): UpdatePlan {
  const { units } = before
  const prefix = commonPrefix(before.source, source)
  const suffix = commonSuffix(before.source, source, prefix)
  const starts = startsOf(units)
  const kept = countKept(source, units, starts, prefix)
  const from = starts[kept] ?? 0
  const shift = source.length - before.source.length
  const found = starts.findIndex(
    (start, index) => index > kept && start >= before.source.length - suffix,
  )
  const first = found === -1 ? starts.length : found
  for (let count = 2; ; count *= 4) {
    const last = Math.min(first + count, starts.length)
    const isRest = last === starts.length
    const limit = isRest ? source.length : (starts[last] ?? 0) + shift
    const blocks = parseBlocks(parser, source.slice(from, limit))
    const stops = findStops({ source, starts, shift, first, last, limit })
    const plan = stopAt(blocks, from, stops)
    if (plan !== null) return { kept, ...plan }
    if (isRest) return { kept, blocks, resumed: units.length }
  }
}

interface StopSearch {
  /** The new text. */
  readonly source: string
  /** The end of the part that is parsed. */
  readonly limit: number
  /** The start of each unit in the old text. */
  readonly starts: readonly number[]
  /** The distance by which the text after the change has moved. */
  readonly shift: number
  /** The units to consider: from `first` up to, not including, `last`. */
  readonly first: number
  readonly last: number
}

// Returns the positions in the new text at which parsing may stop, with the index of the unit that
// begins there.
function findStops({
  source,
  limit,
  starts,
  shift,
  first,
  last,
}: StopSearch): ReadonlyMap<number, number> {
  const stops = new Map<number, number>()
  for (let index = first; index < last; index++) {
    const stop = (starts[index] ?? 0) + shift
    const end = endOfSecondLine(source, stop)
    if (end === -1 ? limit === source.length : end <= limit) stops.set(stop, index)
  }
  return stops
}

function stopAt(
  blocks: Block[],
  from: number,
  stops: ReadonlyMap<number, number>,
): Omit<UpdatePlan, 'kept'> | null {
  let position = from
  for (const [index, block] of blocks.entries()) {
    const resumed = index === 0 && from === 0 ? undefined : stops.get(position)
    if (resumed !== undefined) return { blocks: blocks.slice(0, index), resumed }
    position += block.length
  }
  return null
}

function startsOf(units: readonly Unit[]): number[] {
  let position = 0
  return units.map(({ length }) => {
    const start = position
    position += length
    return start
  })
}

function countKept(
  source: string,
  units: readonly Unit[],
  starts: readonly number[],
  prefix: number,
): number {
  let kept = 0
  let runEnd = 0
  for (let index = 1; index < starts.length; index++) {
    const start = starts[index] ?? 0
    const end = endOfSecondLine(source, start)
    if (end === -1 || end > prefix) break
    if (units[index - 1]?.definitions.some(({ links }) => links.size > 0)) {
      if (runEnd < start) runEnd = endOfRun(source, start)
      if (runEnd === -1 || runEnd > prefix) break
    }
    kept = index
  }
  return kept
}

const blankLine = /\n[ \t]*\n/g

// The end of a link definition depends on all lines up to the next blank line, because its title
// may span them. Returns the position after that blank line; -1 at the end of the text.
function endOfRun(source: string, start: number): number {
  blankLine.lastIndex = Math.max(source.lastIndexOf('\n', start - 2), 0)
  return blankLine.test(source) ? blankLine.lastIndex : -1
}

// Returns the position after two lines; -1 if the text ends before.
function endOfSecondLine(source: string, start: number): number {
  const first = source.indexOf('\n', start)
  const second = first === -1 ? -1 : source.indexOf('\n', first + 1)
  return second === -1 ? -1 : second + 1
}

const step = 1024

function commonPrefix(some: string, other: string): number {
  const most = Math.min(some.length, other.length)
  let length = 0
  while (
    length + step <= most &&
    some.slice(length, length + step) === other.slice(length, length + step)
  )
    length += step
  while (length < most && some.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

function commonSuffix(some: string, other: string, prefix: number): number {
  const most = Math.min(some.length, other.length) - prefix
  const tail = (text: string, length: number): string =>
    text.slice(text.length - length - step, text.length - length)
  let length = 0
  while (length + step <= most && tail(some, length) === tail(other, length)) length += step
  while (
    length < most &&
    some.charCodeAt(some.length - length - 1) === other.charCodeAt(other.length - length - 1)
  ) {
    length++
  }
  return length
}

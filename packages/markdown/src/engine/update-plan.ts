import type { MarkdownIt } from 'markdown-it'
import { type Block, parseBlocks } from './parse-blocks.ts'
import type { Unit } from './unit.ts'

/** How a text becomes another one: units of the old one stay at both ends, blocks come in between. */
export interface UpdatePlan {
  /** So many of the first units stay. */
  readonly kept: number
  readonly blocks: readonly Block[]
  /** The first unit of the end that stays. */
  readonly resumed: number
}

/**
 * Reads only those blocks of a text anew that a change of it can have touched.
 *
 * Reading goes from the top to the bottom, and where a top-level block begins depends on nothing but the lines before
 * it, its own first line and the one after that (a table is known by its second line), but for what follows definitions
 * of links. So a unit stays when two lines after it are the same as before, and reading can stop where a block begins at
 * the old beginning of a unit behind the change.
 *
 * @param before - the old text and its units
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
  const read = (end: number): Block[] => parseBlocks(parser, source.slice(from, end))
  for (let count = 2; first + count < starts.length; count *= 4) {
    const limit = (starts[first + count] ?? 0) + shift
    const plan = stopAt(
      read(limit),
      from,
      findStops({ source, starts, shift, first, last: first + count, limit }),
    )
    if (plan !== null) return { kept, ...plan }
  }
  const limit = source.length
  const blocks = read(limit)
  const plan = stopAt(
    blocks,
    from,
    findStops({ source, starts, shift, first, last: starts.length, limit }),
  )
  return { kept, ...(plan ?? { blocks, resumed: units.length }) }
}

interface StopSearch {
  /** The new text, and how far it is read. */
  readonly source: string
  readonly limit: number
  /** Where the units of the old text begin; by so much those behind the change have moved. */
  readonly starts: readonly number[]
  readonly shift: number
  /** The units in question: from `first` up to `last`. */
  readonly first: number
  readonly last: number
}

// Where reading may stop: positions in the new text, with the units that begin there.
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

// Where a definition of a link ends depends on all lines up to the next blank one, for its title may span them: the
// position after that; -1 when the text ends before.
function endOfRun(source: string, start: number): number {
  blankLine.lastIndex = Math.max(source.lastIndexOf('\n', start - 2), 0)
  return blankLine.test(source) ? blankLine.lastIndex : -1
}

// The position after two lines; -1 when the text ends before.
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

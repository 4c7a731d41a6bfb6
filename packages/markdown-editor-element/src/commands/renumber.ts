import { type Line, readLine } from '@quillgate/markdown/grammar'
import { applyEdit, type Edit, editBetween, spliced, type TextState } from './edit.ts'
import {
  depthOf,
  isOrdered,
  linesAbove,
  listLines,
  numberAfter,
  remark,
  siblingBefore,
} from './lists.ts'

/** Lines that were moved within a list. */
interface Moved {
  /** Where the last of them begins. */
  readonly last: number
  /** The column of those that are items of the list now. */
  readonly column: number
}

/**
 * False for a list whose items have one number all, as authors do who leave the counting to the
 * renderer.
 */
export function countsUp(text: string, line: Line): boolean {
  const before = siblingBefore(text, line)
  if (before !== undefined && isOrdered(before))
    return Number.parseInt(before.bullet, 10) !== Number.parseInt(line.bullet, 10)
  for (const below of listLines(text, line.end + 1)) {
    if (below.column < line.inner)
      return below.column !== line.column || below.bullet !== line.bullet
  }
  return true
}

/**
 * An edit in a list, with the numbers of the items that follow it put right.
 *
 * @param from where the first line begins that may get another number
 * @param first the number of that line when no item is before it
 */
export function renumbered(
  state: TextState,
  edit: Edit,
  from: number,
  moved?: Moved,
  first = '1.',
): Edit | null {
  const after = applyEdit(state, edit)
  const { text } = after
  let start = readLine(text, from)
  const depth = depthOf(start.quote)
  for (const above of linesAbove(text, start)) {
    if (above.bullet === '' && above.column === 0) break
    start = above
    if (above.column === 0 && !isOrdered(above)) break
  }
  const lines: Line[] = []
  for (const line of listLines(text, start.start)) {
    if (depthOf(line.quote) !== depth) break
    lines.push(line)
  }
  const splices = remark(text, lines, (line, before) => {
    if (line.start < from || line.bullet === '') return null
    const isMoved = moved !== undefined && line.start <= moved.last && line.column === moved.column
    const bullet = bulletOf(line, before?.mark, isMoved, first)
    return bullet === null ? null : bullet + line.gap + line.task
  })
  const numbers = spliced(
    after,
    splices.map((splice) => ({ ...splice, keepsCaret: true })),
  )
  return numbers === null ? edit : editBetween(state, applyEdit(after, numbers))
}

function bulletOf(
  line: Line,
  before: string | undefined,
  isMoved: boolean,
  first: string,
): string | null {
  if (before === undefined) return isMoved && isOrdered(line) ? first : null
  const isSameList = before.startsWith(line.bullet.slice(-1), before.search(/\D/))
  if (!isMoved && !(isSameList && isOrdered(line))) return null
  return /^\d/.test(before) ? numberAfter(before).trim() : (before[0] ?? null)
}

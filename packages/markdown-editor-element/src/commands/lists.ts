import { type Command, type Splice, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { fenceOf, isBlank, type Line, readLine, readLines } from './line-grammar.ts'
import { filledLines } from './lines.ts'
import { lineStart } from './selection.ts'

/**
 * Returns the new marker of a line (bullet, gap and task box), or null to keep its marker.
 *
 * @param before the new marker of the item before the line in the same list
 * @param isNested true if the line is inside another item that is changed
 */
type MarkOf = (line: Line, before: string | undefined, isNested: boolean) => string | null

/** The commands that turn the selected lines into list items, or remove their markers. */
export const LIST_COMMANDS = {
  'unordered-list': listCommand(
    ({ bullet, task }) => /^\D/.test(bullet) && task === '',
    (line, before) => `${bulletAfter(line, before)} `,
  ),
  'ordered-list': listCommand(isOrdered, (_, before) => `${numberAfter(before)} `),
  'task-list': listCommand(
    ({ bullet, task }) => /^\D/.test(bullet) && task !== '',
    (line, before) => `${bulletAfter(line, before)} [ ] `,
  ),
}

function listCommand(
  isKind: (line: Line) => boolean,
  markOf: (line: Line, before: string) => string,
): ToggleCommand {
  const isActive = (state: TextState): boolean => itemLines(filledLines(state)).every(isKind)
  const run: Command = (state) => {
    const { text } = state
    const lines = filledLines(state)
    const [first] = lines
    if (first === undefined) return null
    const plain = lines.map(({ mark: at, content }) => ({ at, removed: content - at, added: '' }))
    if (isActive(state)) return spliced(state, plain)
    const hasItems = lines.some(({ bullet }) => bullet !== '')
    const last = lines.at(-1) ?? first
    const above = siblingBefore(text, first)?.bullet
    const all = [...lines, ...linesInside(text, last)]
    const splices = remark(text, all, (line, before, isNested) =>
      line.start > last.start || (hasItems && line.bullet === '' && isNested)
        ? null
        : markOf(line, before ?? (line === first ? above : undefined) ?? ''),
    )
    return spliced(state, splices)
  }
  return { run, isActive }
}

/** Returns the lines that do not continue a list item above them. */
function itemLines(lines: readonly Line[]): Line[] {
  let inner = Infinity
  return lines.filter((line) => {
    if (line.bullet !== '') inner = Math.min(inner, line.inner)
    return line.bullet !== '' || line.column < inner
  })
}

function bulletAfter({ bullet }: Line, before: string): string {
  return [bullet, before].find((mark) => /^[-*+]/.test(mark))?.[0] ?? '-'
}

/** Returns `3.` after `2.`, and `1.` if `mark` has no number. */
function numberAfter(mark: string): string {
  const [, number = '0', end = '.'] = /^(\d+)([.)])/.exec(mark) ?? []
  return `${Math.min(Number(number) + 1, 999_999_999)}${end}`
}

function isOrdered({ bullet }: Line): boolean {
  return /^\d/.test(bullet)
}

/** Gives list items new markers. If the width of a marker changes, indents the content to match. */
function remark(text: string, lines: Iterable<Line>, markOf: MarkOf): Splice[] {
  const splices: Splice[] = []
  const open: { readonly mark: string; readonly shift: number; readonly inner: number }[] = []
  for (const line of lines) {
    let before: string | undefined
    while (line.column < (open.at(-1)?.inner ?? 0)) before = open.pop()?.mark
    const parent = open.at(-1)
    const old = text.slice(line.mark, line.content)
    const mark = markOf(line, before, parent !== undefined) ?? old
    const shift = parent?.shift ?? 0
    splices.push(...indented(line, shift))
    if (mark !== old) splices.push({ at: line.mark, removed: old.length, added: mark })
    if (mark === '') continue
    const width = mark.replace(/\[.*/, '').length
    const wider = line.bullet === '' || mark === old ? 0 : width - (line.inner - line.column)
    const inner = line.bullet === '' ? line.column + width : line.inner
    open.push({ mark, shift: shift + wider, inner })
  }
  return splices
}

/** Returns the splices that move a line by `shift` columns. A negative `shift` moves it left. */
export function indented({ start, quote, indent, column }: Line, shift: number): Splice[] {
  const at = start + quote.length
  const next = Math.max(0, column + shift)
  if (next === column) return []
  const keeps = indent.includes('\t') ? 0 : Math.min(column, next)
  return [{ at, removed: indent.length - keeps, added: ' '.repeat(next - keeps) }]
}

/** Yields the filled, indented lines below a line. Treats list markers in code as text. */
function* linesInside(text: string, { end, quote }: Line): Generator<Line> {
  let fence = ''
  for (const line of readLines(text, end + 1)) {
    const mark = fenceOf(text.slice(line.mark, line.end))
    const isCode = fence !== ''
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    if (isBlank(line)) continue
    if (line.column === 0 || depthOf(line.quote) !== depthOf(quote)) return
    yield isCode ? { ...line, bullet: '', gap: '', task: '', content: line.mark } : line
  }
}

/** Returns the lines of an item after its first line, without blank lines. */
export function linesOfItem(text: string, item: Line): Line[] {
  const inside: Line[] = []
  for (const line of linesInside(text, item)) {
    if (line.column < item.inner) break
    inside.push(line)
  }
  return inside
}

/** Returns the item before a line in the same list, if there is one. */
export function siblingBefore(text: string, line: Line): Line | undefined {
  let found: Line | undefined
  for (const above of linesAbove(text, line)) {
    if (above.bullet !== '') {
      if (above.inner <= line.column) break
      if (found === undefined || above.inner <= found.column) found = above
    }
    if (above.column === 0 || (found?.column ?? above.column) <= line.column) break
  }
  return found
}

/** Returns the list item that contains a line, if there is one. */
export function parentOf(text: string, line: Line): Line | undefined {
  for (const above of linesAbove(text, line)) {
    if (above.column < line.column && above.bullet !== '' && above.inner <= line.column)
      return above
    if (above.column === 0) return undefined
  }
  return undefined
}

/** Yields the filled lines above a line, nearest first, until the quote depth changes. */
function* linesAbove(text: string, { start, quote }: Line): Generator<Line> {
  for (let at = start; at > 0; ) {
    const line = readLine(text, lineStart(text, at - 1))
    if (depthOf(line.quote) !== depthOf(quote)) return
    if (!isBlank(line)) yield line
    at = line.start
  }
}

/** Returns the number of `>` markers plus 1, to compare the quote depth of lines. */
export function depthOf(quote: string): number {
  return quote.split('>').length
}

/** Returns the next bullet or number. Repeats a number that the previous item has too. */
export function nextBullet(text: string, line: Line): string {
  if (!isOrdered(line)) return line.bullet
  const before = siblingBefore(text, line)
  const number = Number.parseInt(line.bullet, 10)
  const isRepeated = before !== undefined && Number.parseInt(before.bullet, 10) === number
  return isRepeated ? line.bullet : numberAfter(line.bullet)
}

/** Gives moved items the markers of their new list. Only a list from 1 can follow a paragraph. */
export function joinList(text: string, lines: readonly Line[]): Splice[] {
  const [first] = lines
  const above = first && siblingBefore(text, first)?.bullet
  return remark(text, lines, (line, item, isNested) => {
    if (line.bullet === '' || isNested) return null
    const before = item ?? above
    const own = isOrdered(line) ? `1${line.bullet.slice(-1)}` : line.bullet
    const next = /^\d/.test(before ?? '') ? numberAfter(before ?? '') : before?.[0]
    return (next ?? own) + line.gap + line.task
  })
}

import { isInCodeBlock } from './code.ts'
import { type Command, type Edit, editBetween, spliced, type TextState } from './edit.ts'
import { type Line, readLine } from './line-grammar.ts'
import { filledLines, selectedLines } from './lines.ts'
import {
  countsUp,
  indented,
  isOrdered,
  linesOfItem,
  parentOf,
  renumbered,
  siblingBefore,
} from './lists.ts'
import { lineEnd, lineRange, lineStart } from './selection.ts'

/**
 * True where Tab is not for leaving the field: in a list item, or with several lines selected; for
 * Shift+Tab (`back`) only where there is something to take back.
 */
export function takesTab(state: TextState, back = false): boolean {
  const lines = selectedLines(state)
  const takes = lines.length > 1 || isItem(state.text, lines[0])
  return takes && (!back || lines.some(({ column }) => column > 0))
}

function isItem(text: string, line: Line | undefined): line is Line {
  return line !== undefined && line.bullet !== '' && !isInCodeBlock(text, line)
}

// The indentation of lines outside a list. More would make code of a paragraph.
const STEP = 2

/**
 * The command of Tab. It moves the selected list items, with their content, into the item before
 * them, or indents several selected lines. Returns null if there is nothing to indent.
 *
 * @example indentLines({ text: '1. a\n2. b', selectionStart: 9, selectionEnd: 9 }) // leads to '1.
 * a\n   1. b'
 */
export const indentLines: Command = (state) =>
  shiftLines(state, STEP, (text, line) => {
    const before = siblingBefore(text, line)
    return before === undefined ? 0 : before.inner - line.column
  })

/** The command of Shift+Tab, the opposite of {@link indentLines}, by one level. */
export const outdentLines: Command = (state) =>
  shiftLines(state, -STEP, (text, line) => (parentOf(text, line)?.column ?? 0) - line.column)

function shiftLines(
  state: TextState,
  step: number,
  shiftOf: (text: string, line: Line) => number,
): Edit | null {
  const { text } = state
  const lines = filledLines(state)
  const [first] = lines
  const last = lines.at(-1)
  if (first === undefined || last === undefined || !takesTab(state)) return null
  if (!isItem(text, first))
    return spliced(
      state,
      lines.flatMap((line) => indented(line, step)),
    )
  const shift = shiftOf(text, first)
  if (shift === 0) return null
  const inside = linesOfItem(text, last)
  const edit = spliced(
    state,
    [...lines, ...inside].flatMap((line) => indented(line, shift)),
  )
  const repeats = lines.some((line) => isOrdered(line) && !countsUp(text, line))
  if (edit === null || repeats) return edit
  const moved = [...lines, ...inside].reduce(
    (sum, line) => sum + (line.start < last.start ? growth(line, shift) : 0),
    0,
  )
  return renumbered(state, edit, first.start, {
    last: last.start + moved,
    column: first.column + shift,
  })
}

function growth(line: Line, shift: number): number {
  return indented(line, shift).reduce((sum, { added, removed }) => sum + added.length - removed, 0)
}

/**
 * Changes the selected lines with the line above them; numbers of list items stay where they are.
 */
export const moveLinesUp: Command = (state) => moveLines(state, true)

/** Changes the selected lines with the line below them, as {@link moveLinesUp}. */
export const moveLinesDown: Command = (state) => moveLines(state, false)

function moveLines(state: TextState, up: boolean): Edit | null {
  const { text, selectionStart, selectionEnd } = state
  const { start, end } = lineRange(state)
  if (up ? start === 0 : end === text.length) return null
  const other = up ? lineStart(text, start - 1) : end + 1
  const otherEnd = lineEnd(text, other)
  const [from, to] = up ? [other, end] : [start, otherEnd]
  const lines = text.slice(start, end)
  const passed = text.slice(other, otherEnd)
  const length = (up ? -1 : 1) * (passed.length + 1)
  const edit = editBetween(state, {
    text:
      text.slice(0, from) + (up ? `${lines}\n${passed}` : `${passed}\n${lines}`) + text.slice(to),
    selectionStart: selectionStart + length,
    selectionEnd: Math.min(selectionEnd + length, text.length),
  })
  const top = readLine(text, from)
  if (edit === null || !isItem(text, top) || !isOrdered(top) || !countsUp(text, top)) return edit
  return renumbered(state, edit, from, { last: from, column: top.column }, top.bullet)
}

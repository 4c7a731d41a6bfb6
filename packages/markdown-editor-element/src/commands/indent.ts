import { isInCodeBlock } from './code.ts'
import { applyEdit, type Command, type Edit, editBetween, spliced, type TextState } from './edit.ts'
import { type Line, readLines } from './line-grammar.ts'
import { filledLines, selectedLines } from './lines.ts'
import { indented, joinList, linesOfItem, parentOf, siblingBefore } from './lists.ts'
import type { Range } from './selection.ts'

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
  const moved = [...lines, ...linesOfItem(text, last)]
  const edit = spliced(
    state,
    moved.flatMap((line) => indented(line, shift)),
  )
  return edit && inList(state, edit, { start: first.start, end: moved.at(-1)?.end ?? last.end })
}

/** Adds the new marks of moved lines to the edit that moves them. */
function inList(state: TextState, edit: Edit, { start, end }: Range): Edit | null {
  const after = applyEdit(state, edit)
  const growth = after.text.length - state.text.length
  const moved = [...readLines(after.text, start, end + growth)]
  const marks = joinList(after.text, moved).map((splice) => ({ ...splice, keepsCaret: true }))
  const marked = spliced(after, marks)
  return marked === null ? edit : editBetween(state, applyEdit(after, marked))
}

import { codeBlockAround } from './code.ts'
import { applyEdit, type Command, type Edit, editBetween, spliced, type TextState } from './edit.ts'
import { type Line, type Range, readLines } from './line-grammar.ts'
import { filledLines, selectedLines } from './lines.ts'
import { indented, joinList, linesOfItem, parentOf, siblingBefore } from './lists.ts'

/** Returns whether the editor handles Tab, or Shift+Tab if `back` is true. */
export function takesTab(state: TextState, back = false): boolean {
  const lines = selectedLines(state)
  const takes = lines.length > 1 || isItem(state.text, lines[0])
  return takes && (!back || lines.some(({ column }) => column > 0))
}

function isItem(text: string, line: Line | undefined): line is Line {
  if (line === undefined || line.bullet === '') return false
  // A list marker can precede an opening fence. On other lines of a code block, the marker is code.
  return codeBlockAround(text, { start: line.start - 1, end: line.end }) === undefined
}

// The number of spaces per step outside of lists. Four would turn a paragraph into code.
const STEP = 2

/** Handles Tab. Nests the selected list items in the previous item, or indents several lines. */
export const indentLines: Command = (state) =>
  shiftLines(state, STEP, (text, line) => {
    const before = siblingBefore(text, line)
    return before === undefined ? 0 : before.inner - line.column
  })

/** Handles Shift+Tab. Undoes one level of {@link indentLines}. */
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
  const isInList = isItem(text, first)
  const shift = isInList ? shiftOf(text, first) : step
  const moved = isInList ? [...lines, ...linesOfItem(text, last)] : lines
  const splices = moved.flatMap((line) => indented(line, shift))
  const edit = spliced(state, splices)
  if (!isInList || edit === null) return edit
  return inList(state, edit, { start: first.start, end: moved.at(-1)?.end ?? last.end })
}

/** Extends an edit that moves list items, so that they also get the markers of their new list. */
function inList(state: TextState, edit: Edit, { start, end }: Range): Edit | null {
  const after = applyEdit(state, edit)
  const growth = after.text.length - state.text.length
  const moved = [...readLines(after.text, start, end + growth)]
  const marks = joinList(after.text, moved).map((splice) => ({ ...splice, keepsCaret: true }))
  const marked = spliced(after, marks)
  return marked === null ? edit : editBetween(state, applyEdit(after, marked))
}

import { codeBlockAround } from './code.ts'
import { applyEdit, type Command, type Edit, editBetween, spliced, type TextState } from './edit.ts'
import {
  fenceOf,
  innerPrefix,
  isBlank,
  type Line,
  readLine,
  THEMATIC_BREAK,
} from './line-grammar.ts'
import { depthOf, indented, linesOfItem, nextBullet, parentOf } from './lists.ts'
import { lineEnd, lineStart } from './selection.ts'
import { selectCell, selectNextCell, type Table, tableAtLine } from './tables.ts'

const INNERMOST = />[ \t]?$/

/**
 * Handles Enter in tables, lists, quotes and code. Null leaves the key to the browser. In a table,
 * goes to the row below, or to the next cell if `byCell` is true.
 */
export function continueLine(state: TextState, byCell: boolean = false): Edit | null {
  const { text, selectionStart: caret, selectionEnd } = state
  const table = tableAtLine(state)
  if (table !== null && isInRow(state)) return leaveRow(state, table, byCell)
  if (caret !== selectionEnd) {
    const rest = {
      text: text.slice(0, caret) + text.slice(selectionEnd),
      selectionStart: caret,
      selectionEnd: caret,
    }
    const edit = continueLine(rest, byCell)
    return edit && editBetween(state, applyEdit(rest, edit))
  }
  const line = readLine(text, lineStart(text, caret))
  const prefix = text.slice(line.start, line.mark)
  if (caret < line.content || (prefix === '' && line.bullet === '')) return null
  const content = text.slice(line.content, line.end)
  if (codeBlockAround(text, line) !== undefined) {
    // If the fence follows a list marker, the code is indented like the fence.
    const inner = line.bullet !== '' && fenceOf(content) !== '' ? innerPrefix(line) : prefix
    return inner === '' ? null : spliced(state, [{ at: caret, removed: 0, added: `\n${inner}` }])
  }
  if (line.bullet !== '') {
    if (line.gap === '' || THEMATIC_BREAK.test(text.slice(line.mark, line.end))) return null
    return content.trim() === '' ? endItem(state, line) : nextItem(state, line, prefix)
  }
  if (line.quote === '') return null
  return content.trim() === ''
    ? leave(state, line, line.quote.replace(INNERMOST, ''))
    : spliced(state, [{ at: caret, removed: 0, added: `\n${prefix}` }])
}

/** Handles Backspace directly after the marker of an empty list item or quoted line. */
export const removeMarker: Command = (state) => {
  const { text, selectionStart: caret, selectionEnd } = state
  if (caret !== selectionEnd) return null
  const line = readLine(text, lineStart(text, caret))
  const { mark, end, bullet, quote, start } = line
  if (caret !== end || line.content !== end || (bullet === '' && !quote.endsWith(' '))) return null
  const at = bullet === '' ? start + quote.replace(INNERMOST, '').length : mark
  if (line.gap === '' && bullet !== '') return null
  return spliced(state, [{ at, removed: end - at, added: '' }])
}

/** Returns false at the start and end of a row, where a line break does not split the row. */
function isInRow({ text, selectionStart, selectionEnd }: TextState): boolean {
  const { content } = readLine(text, lineStart(text, selectionStart))
  const before = text.slice(content, selectionStart)
  const after = text.slice(selectionEnd, lineEnd(text, selectionEnd))
  return before.trim() !== '' && after.trim() !== ''
}

/** Selects the next cell or the cell below. In an empty last row, removes the row instead. */
function leaveRow(state: TextState, table: Table, byCell: boolean): Edit | null {
  const { rows, row, column } = table
  const isEmpty = rows[row]?.cells.every((cell) => cell === '')
  if (row === 0 || row < rows.length - 1 || !isEmpty)
    return byCell ? selectNextCell(state, 1) : selectCell(state, table, row + 1, column)
  const line = readLine(state.text, lineStart(state.text, state.selectionStart))
  return leave(state, line, state.text.slice(line.start, line.mark))
}

function nextItem(state: TextState, line: Line, prefix: string): Edit | null {
  const { text, selectionStart: caret } = state
  const bullet = nextBullet(text, line)
  const added = `\n${prefix}${bullet}${line.gap}${line.task && '[ ] '}`
  const removed = /^[ \t]*/.exec(text.slice(caret, line.end))?.[0].length ?? 0
  // The following lines of the item move into the new item. A wider number indents them further.
  const wider = bullet.length - line.bullet.length
  const inside = wider === 0 ? [] : linesOfItem(text, line).flatMap((each) => indented(each, wider))
  return spliced(state, [{ at: caret, removed, added }, ...inside])
}

/** Turns an empty item into the next item of the parent list. Without a parent, ends the list. */
function endItem(state: TextState, line: Line): Edit | null {
  const { text } = state
  const parent = parentOf(text, line)
  if (parent === undefined) return leave(state, line, line.quote)
  const added = parent.indent + nextBullet(text, parent) + parent.gap + (parent.task && '[ ] ')
  const at = line.start + line.quote.length
  return spliced(state, [{ at, removed: line.end - at, added }])
}

/** Replaces a line with `prefix`. If that would continue the block above, adds a blank line. */
function leave(state: TextState, { start, end, quote }: Line, prefix: string): Edit | null {
  const above = start === 0 ? null : readLine(state.text, lineStart(state.text, start - 1))
  const isOpen = above !== null && !isBlank(above) && depthOf(above.quote) === depthOf(quote)
  const added = isOpen ? `${prefix.trimEnd()}\n${prefix}` : prefix
  // Removes blank lines at the end of the text, but not its last line break alone.
  const rest = state.text.slice(end)
  const to = rest.length > 1 && rest.trim() === '' ? state.text.length : end
  return spliced(state, [{ at: start, removed: to - start, added }])
}

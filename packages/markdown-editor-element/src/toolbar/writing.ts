import { isTextCommand, TEXT_COMMANDS, type TextCommandName } from '../commands/commands.ts'
import { continueLine, removeMarker } from '../commands/continue.ts'
import { applyEdit, type Edit, type TextState } from '../commands/edit.ts'
import { indentLines, outdentLines, takesTab } from '../commands/indent.ts'
import { filledLines } from '../commands/lines.ts'
import { lineEnd, lineStart } from '../commands/selection.ts'
import { selectNextCell, type Table, tableAtLine } from '../commands/tables.ts'
import { TOOLBAR_BUTTONS, type ToolbarButton } from '../contract/toolbar.ts'
import { hasTouchScreen, isPlainKey } from '../dom/key-press.ts'
import { revealCaret } from '../dom/textarea-geometry.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'

// Code units before and after the selection. Paragraphs, lists and code are rarely longer.
const REACH = 10_000

/** The mark, such as `**`, that a command last wrote on both sides of the caret of an editor. */
const emptyPairs = new WeakMap<EditorContext, { readonly name: string; readonly mark: string }>()

/** Runs a command and announces its effect. Throws a TypeError for an unknown name. */
export function runCommand(name: TextCommandName, context: EditorContext): void {
  if (!isTextCommand(name)) {
    const known = [...new Set([...TOOLBAR_BUTTONS, ...Object.keys(TEXT_COMMANDS)])].join(', ')
    throw new TypeError(`run: unknown command ${String(name)}. Known names are ${known}.`)
  }
  if (context.signal.aborted) return
  const isDone = leavePair(name, context) || change(name, context)
  const strings = lazyStrings(context.strings)
  if (TEXT_COMMANDS[name].isActive === undefined) {
    if (isDone && Object.hasOwn(strings.buttons, name)) context.notice.say(strings.inserted)
  } else if (isDone) announceFormat(name, context)
  else if (activeOf(['code-block'], context).size > 0) announceFormat('code-block', context)
}

function change(name: TextCommandName, context: EditorContext): boolean {
  const state = context.surface.read()
  const edit = TEXT_COMMANDS[name].run(state)
  if (edit === null || !context.edit(edit, true)) return false
  const mark = markOfEmptyPair(state, edit)
  if (mark !== '') emptyPairs.set(context, { name, mark })
  return true
}

function announceFormat(name: TextCommandName, context: EditorContext): void {
  const strings = lazyStrings(context.strings)
  const level = /^heading-(\d)$/.exec(name)?.[1]
  const label = level ? strings.keyHeading(Number(level)) : strings.buttons[name as ToolbarButton]
  const isOn = activeOf([name], context).has(name)
  context.notice.say(isOn ? strings.formatOn(label) : strings.formatOff(label))
}

/** Moves the caret out of a mark that the same command wrote, once it contains typed text. */
function leavePair(name: TextCommandName, context: EditorContext): boolean {
  const pair = emptyPairs.get(context)
  emptyPairs.delete(context)
  const { text, selectionStart: caret, selectionEnd } = context.surface.read()
  const isInside =
    pair?.name === name && caret === selectionEnd && text.startsWith(pair.mark, caret)
  if (!isInside || text.endsWith(pair.mark, caret)) return false
  const end = caret + pair.mark.length
  context.surface.select(end, end)
  context.surface.focus()
  return true
}

/** Returns the mark that an edit writes on both sides of the caret, or `''`. */
function markOfEmptyPair(state: TextState, edit: Edit): string {
  const { text, selectionStart: caret } = applyEdit(state, edit)
  const size = caret - state.selectionStart
  const isPair = text.length - state.text.length === 2 * size && size > 0
  const mark = text.slice(caret, caret + size)
  return isPair && state.selectionStart === state.selectionEnd && text.endsWith(mark, caret)
    ? mark
    : ''
}

function linesAround({ text, selectionStart, selectionEnd }: TextState): TextState {
  const start = lineStart(text, Math.max(0, selectionStart - REACH))
  return {
    text: text.slice(start, lineEnd(text, selectionEnd + REACH)),
    selectionStart: selectionStart - start,
    selectionEnd: selectionEnd - start,
  }
}

/** Returns the commands whose format the selection has. Does not examine a very long selection. */
export function activeOf(
  names: readonly TextCommandName[],
  { surface }: EditorContext,
): ReadonlySet<string> {
  const state = linesAround(surface.read())
  const isLong = state.selectionEnd - state.selectionStart > REACH
  return new Set(isLong ? [] : names.filter((name) => TEXT_COMMANDS[name].isActive?.(state)))
}

/** Handles Enter, Backspace and Tab, and announces undo and redo. After Escape, Tab leaves. */
export function helpTyping(context: EditorContext): void {
  const strings = lazyStrings(context.strings)
  let isLeaving = false
  let isTold = false
  const onKey = (event: KeyboardEvent): void => {
    const { surface } = context
    const { key, shiftKey } = event
    const leaves = isLeaving
    // The user presses Shift before Shift+Tab, so Shift does not cancel Escape.
    isLeaving = !event.defaultPrevented && (key === 'Escape' || (leaves && key === 'Shift'))
    const isHandled = event.defaultPrevented || event.target !== surface.target
    if (isHandled || !isPlainKey(event) || !surface.editable) return
    if (key === 'Tab') {
      const state = surface.read()
      const cell = selectNextCell(state, shiftKey ? -1 : 1)
      if (leaves || (cell === null && !takesTab(state, shiftKey))) return
      event.preventDefault()
      // Announces how to leave the text, because Tab no longer leaves the field.
      const hint = isTold ? '' : `${strings.keyLeave}: ${strings.keyThen('Esc', 'Tab')}`
      isTold = true
      perform(context, cell ?? (shiftKey ? outdentLines : indentLines)(state), hint)
    } else if (!shiftKey && (key === 'Enter' || key === 'Backspace')) press(context, event, key)
  }
  context.events.key.add(onKey)
  if (hasTouchScreen()) recognizeKeys(context)
  context.events.change.add((step) => {
    if (step !== undefined) context.notice.say(step === 'undo' ? strings.undone : strings.redone)
  })
}

/** Handles Enter and Backspace of on-screen keyboards that do not name their keys. */
function recognizeKeys(context: EditorContext): void {
  const { events, signal, textarea } = context
  let isUnnamed = false
  events.key.add(({ keyCode }) => {
    isUnnamed = keyCode === 229
  })
  const recognize = (event: InputEvent): void => {
    const { cancelable, data, inputType } = event
    if (!isUnnamed || !cancelable) return
    isUnnamed = false
    if (inputType === 'insertLineBreak' || data === '\n') press(context, event, 'Enter')
    else if (inputType === 'deleteContentBackward') press(context, event, 'Backspace')
  }
  textarea.addEventListener('beforeinput', recognize, { signal })
}

function press(context: EditorContext, event: Event, key: 'Enter' | 'Backspace'): void {
  const state = context.surface.read()
  const edit = key === 'Enter' ? continueLine(state, hasTouchScreen()) : removeMarker(state)
  if (edit === null) return
  event.preventDefault()
  perform(context, edit)
}

/** Applies an edit. Announces it and the hint. */
function perform(context: EditorContext, edit: Edit | null, hint = ''): void {
  const before = context.surface.read()
  if (edit !== null && !context.edit(edit, true)) return
  // The browser has scrolled to the end of the insertion, which may be far below the caret.
  if (!context.surface.rectAt) revealCaret(context.textarea)
  const message = [editMessage(before, context), hint].filter((part) => part !== '').join('. ')
  if (message !== '') context.notice.say(message)
}

/** Describes an edit, because screen readers do not read markers and positions. */
function editMessage(before: TextState, context: EditorContext): string {
  const strings = lazyStrings(context.strings)
  const table = tableAtLine(before)
  if (table !== null) return cellMessage(table, context)
  const after = context.surface.read()
  const [from, to] = [before, after].map((state) => filledLines(state)[0])
  if (from === undefined || to === undefined) return ''
  const isItem = to.bullet !== ''
  if (isItem && to.start > from.start) return strings.newItem
  if (to.start === from.start && isItem === (from.bullet !== '') && to.column !== from.column)
    return to.column > from.column ? strings.indented : strings.outdented
  if (after.text.length > before.text.length) return '' // In code, Enter ends no list.
  if (!isItem && from.bullet !== '') return strings.listEnded
  return to.quote.length < from.quote.length ? strings.formatOff(strings.buttons.quote) : ''
}

/** Describes the selected cell after a change or a move in a table. */
export function cellMessage(before: Table, context: EditorContext): string {
  const { inserted, removed, tableCell, tableCellEmpty, tableEnd } = lazyStrings(context.strings)
  const after = tableAtLine(context.surface.read())
  if (after === null) return tableEnd
  const { alignments, rows, row, column } = after
  const place = tableCell(row + 1, column + 1)
  // Screen readers read the selected text of a cell, but say nothing about an empty selection.
  const cell = rows[row]?.cells[column] ? place : tableCellEmpty(place)
  const more = rows.length - before.rows.length || alignments.length - before.alignments.length
  return more === 0 ? cell : `${more > 0 ? inserted : removed}. ${cell}`
}

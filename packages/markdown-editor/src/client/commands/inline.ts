import { applyEdit, type Command, type Edit, editBetween, type TextState } from './edit.ts'
import { characterAt, characterBefore, inlineRange, type Range } from './selection.ts'

/** A way to mark a piece of text, such as bold. */
interface InlineStyle {
  /** The mark to write around a range. */
  markFor(text: string, range: Range): string
  /** How many characters of a run of equal characters around a text are this style's mark; 0 when they are not. */
  marked(character: string, run: number): number
}

/** A run of one character on both sides: `[left - count, left)` and `[right, right + count)`. */
interface Layer {
  readonly character: string
  readonly count: number
  readonly left: number
  readonly right: number
}

const INLINE_MARKS = '*_~=^'

const bold: InlineStyle = {
  markFor: () => '**',
  marked: (character, run) => ('*_'.includes(character) && run >= 2 ? 2 : 0),
}

const italic: InlineStyle = {
  // Inside a word only the asterisk is emphasis.
  markFor: (text, { start, end }) =>
    /[\p{L}\p{N}]/u.test(characterBefore(text, start) + characterAt(text, end)) ? '*' : '_',
  marked: (character, run) => ('*_'.includes(character) && run % 2 === 1 ? 1 : 0),
}

const strikethrough = doubled('~')
const highlight = doubled('=')
const subscript: InlineStyle = {
  markFor: () => '~',
  marked: (character, run) => (character === '~' && run % 2 === 1 ? 1 : 0),
}
const superscript: InlineStyle = { markFor: () => '^', marked: (character) => (character === '^' ? 1 : 0) }

function doubled(mark: string): InlineStyle {
  return { markFor: () => mark.repeat(2), marked: (character, run) => (character === mark && run >= 2 ? 2 : 0) }
}

/** The commands of the inline styles, and whether the selection has the style already. */
export const INLINE_COMMANDS: Readonly<
  Record<'bold' | 'italic' | 'strikethrough' | 'highlight' | 'superscript' | 'subscript', InlineCommand>
> = {
  bold: inlineCommand(bold),
  italic: inlineCommand(italic),
  strikethrough: inlineCommand(strikethrough),
  highlight: inlineCommand(highlight),
  superscript: inlineCommand(superscript),
  subscript: inlineCommand(subscript),
}

/** A command that puts a mark around the selection or the word at the caret, or takes it away. */
export interface InlineCommand {
  readonly run: Command
  readonly isActive: (state: TextState) => boolean
}

function inlineCommand(style: InlineStyle): InlineCommand {
  const unmark = (state: TextState): TextState | null => removeMark(state, style)
  return {
    run: (state) => toggle(state, unmark, (plain) => addMark(plain, style)),
    isActive: (state) => unmark(state) !== null,
  }
}

/** Takes every mark away, or adds one when there is none: so that a second time undoes the first. */
export function toggle(
  state: TextState,
  unmark: (state: TextState) => TextState | null,
  mark: (state: TextState) => Edit,
): Edit | null {
  let plain = unmark(state)
  if (plain === null) return editBetween(state, applyEdit(state, mark(state)))
  for (let next = unmark(plain); next !== null; next = unmark(plain)) plain = next
  return editBetween(state, plain)
}

/** Puts `open` and `close` around a range; what was selected stays selected. */
export function surround(state: TextState, range: Range, open: string, close: string = open): Edit {
  const caret = state.selectionStart === state.selectionEnd
  return {
    start: range.start,
    end: range.end,
    insert: open + state.text.slice(range.start, range.end) + close,
    selectionStart: (caret ? state.selectionStart : range.start) + open.length,
    selectionEnd: (caret ? state.selectionStart : range.end) + open.length,
  }
}

/** Takes `[left - before, left)` and `[right, right + after)` away; the selection stays on the same characters. */
export function cutAround(state: TextState, left: number, before: number, right: number, after: number): TextState {
  const { text } = state
  const shift = (offset: number): number =>
    offset - Math.min(before, Math.max(0, offset - (left - before))) - Math.min(after, Math.max(0, offset - right))
  return {
    text: text.slice(0, left - before) + text.slice(left, right) + text.slice(right + after),
    selectionStart: shift(state.selectionStart),
    selectionEnd: shift(state.selectionEnd),
  }
}

/** The length of the run of a character that ends (`step` -1) or begins (`step` 1) at an offset. */
export function runLength(text: string, offset: number, character: string, step: -1 | 1): number {
  let length = 0
  while (text[step === 1 ? offset + length : offset - 1 - length] === character) length++
  return length
}

function addMark(state: TextState, style: InlineStyle): Edit {
  const range = inlineRange(state)
  return surround(state, range, style.markFor(state.text, range))
}

function removeMark(state: TextState, style: InlineStyle): TextState | null {
  const range = inlineRange(state)
  for (const layers of [outerLayers(state.text, range), innerLayers(state.text, range)]) {
    for (const { character, count, left, right } of layers) {
      const marks = style.marked(character, count)
      if (marks > 0) return cutAround(state, left, marks, right, marks)
    }
  }
  return null
}

/** The marks around a range, from the inside out, as far as both sides agree. */
function* outerLayers(text: string, range: Range): Generator<Layer> {
  let { start: left, end: right } = range
  for (;;) {
    const character = text[right] ?? ''
    if (left === 0 || character === '' || text[left - 1] !== character || !INLINE_MARKS.includes(character)) return
    const before = runLength(text, left, character, -1)
    const after = runLength(text, right, character, 1)
    const count = Math.min(before, after)
    yield { character, count, left, right }
    if (before !== after) return
    left -= count
    right += count
  }
}

/** The marks at the ends of a range, from the outside in, as far as both ends agree. */
function* innerLayers(text: string, range: Range): Generator<Layer> {
  let { start, end } = range
  for (;;) {
    const character = text[start] ?? ''
    if (end - start < 2 || text[end - 1] !== character || !INLINE_MARKS.includes(character)) return
    const before = runLength(text, start, character, 1)
    const after = runLength(text, end, character, -1)
    const count = Math.min(before, after, Math.floor((end - start) / 2))
    yield { character, count, left: start + count, right: end - count }
    if (before !== after) return
    start += count
    end -= count
  }
}

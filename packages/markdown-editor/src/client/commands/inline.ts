import { fencedBlocks } from './code-block.ts'
import { applyEdit, type Command, type Edit, editBetween, type TextState } from './edit.ts'
import { characterAt, characterBefore, inlineLines, inlineRange, type Range } from './selection.ts'

/** A way to mark a piece of text, such as bold. */
interface InlineStyle {
  /** The mark to write around a range. */
  markFor(text: string, range: Range): string
  /** How many characters of a run of equal characters around a text are this style's mark; 0 when they are not. */
  marked(character: string, run: number): number
  /** True when there must be no space inside the mark: each word gets its own. */
  readonly byWord?: boolean
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
  byWord: true,
}
const superscript: InlineStyle = {
  markFor: () => '^',
  marked: (character) => (character === '^' ? 1 : 0),
  byWord: true,
}

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
    run: (state) => {
      const pieces = piecesOf(state, style)
      if (pieces !== null) return editBetween(state, togglePieces(state, pieces, style))
      return toggle(state, unmark, (plain) => addMark(plain, style))
    },
    isActive: (state) => {
      const pieces = piecesOf(state, style)
      return pieces === null ? unmark(state) !== null : allMarked(state, pieces, style)
    },
  }
}

/** The pieces of the selection that get a mark each, as a mark ends with its paragraph; null when it is only one. */
function piecesOf(state: TextState, style: InlineStyle): Range[] | null {
  const { text } = state
  const range = inlineRange(state)
  const separator = style.byWord ? /\s|^\|/ : /\n|^\|/
  if (!separator.test(text.slice(range.start, range.end))) return null
  const code = fencedBlocks(text)
  const lines = inlineLines(text, range).filter(
    ({ start }) => !code.some((each) => each.start <= start && start < each.end),
  )
  return style.byWord ? lines.flatMap((line) => wordsOf(text, line)) : lines
}

function wordsOf(text: string, { start, end }: Range): Range[] {
  return Array.from(text.slice(start, end).matchAll(/\S+/g), ({ 0: word, index }) => ({
    start: start + index,
    end: start + index + word.length,
  }))
}

function allMarked(state: TextState, pieces: readonly Range[], style: InlineStyle): boolean {
  return pieces.length > 0 && pieces.every((piece) => removeMark(selecting(state, piece), style) !== null)
}

/** Takes the marks of all pieces away, or gives each one when some have none. What is selected then has the marks. */
function togglePieces(state: TextState, pieces: readonly Range[], style: InlineStyle): TextState {
  const add = !allMarked(state, pieces, style)
  let { text, selectionStart, selectionEnd } = state
  for (const piece of pieces.toReversed()) {
    let current = selecting({ ...state, text }, piece)
    for (let next = removeMark(current, style); next !== null; next = removeMark(current, style)) current = next
    if (add) current = applyEdit(current, addMark(current, style))
    const { length } = text
    text = current.text
    selectionEnd += text.length - length
    selectionStart = Math.min(selectionStart, current.selectionStart)
  }
  return { text, selectionStart, selectionEnd }
}

function selecting({ text }: TextState, { start, end }: Range): TextState {
  return { text, selectionStart: start, selectionEnd: end }
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

import { commonEnds } from '@quillgate/markdown/grammar'
import type { Range } from './line-grammar.ts'

/** A text and its selection. Offsets are UTF-16 code units, as in a textarea. */
export interface TextState {
  readonly text: string
  readonly selectionStart: number
  readonly selectionEnd: number
}

/** A change of a text: `insert` replaces `[start, end)`. The selection is in the new text. */
export interface Edit extends Range {
  readonly insert: string
  readonly selectionStart: number
  readonly selectionEnd: number
}

/** A pure function that returns an edit, or null if there is nothing to change. */
export type Command = (state: TextState) => Edit | null

/** A command that adds or removes a format, and a test whether the selection has this format. */
export interface ToggleCommand {
  readonly run: Command
  readonly isActive: (state: TextState) => boolean
}

/** One of several small changes: replaces `removed` code units at the offset `at` with `added`. */
export interface Splice {
  readonly at: number
  readonly removed: number
  readonly added: string
  /** True if a caret at `at` stays before the added text. */
  readonly keepsCaret?: boolean
}

/** Returns the text and selection after an edit. */
export function applyEdit(state: TextState, edit: Edit): TextState {
  return {
    text: state.text.slice(0, edit.start) + edit.insert + state.text.slice(edit.end),
    selectionStart: edit.selectionStart,
    selectionEnd: edit.selectionEnd,
  }
}

/** Returns the edit that replaces a range and puts the caret after the inserted text. */
export function replacing(range: Range, insert: string): Edit {
  const caret = range.start + insert.length
  return { start: range.start, end: range.end, insert, selectionStart: caret, selectionEnd: caret }
}

/** Replaces a range. A caret outside of the range stays in its place. */
export function replaceRange(state: TextState, start: number, end: number, text = ''): Edit | null {
  return spliced(state, [{ at: start, removed: end - start, added: text, keepsCaret: true }])
}

/** Returns the smallest edit that turns one state into another, or null if they are equal. */
export function editBetween(from: TextState, to: TextState): Edit | null {
  return smallest(from, { ...to, start: 0, end: from.text.length, insert: to.text })
}

/** Combines splices, except those in removed ranges. The same text stays selected. */
export function spliced(state: TextState, splices: readonly Splice[]): Edit | null {
  const { text, selectionStart, selectionEnd } = state
  const ordered = splices.toSorted((a, b) => a.at - b.at)
  const start = ordered[0]?.at ?? 0
  let end = start
  let insert = ''
  const made = ordered.filter(({ at, removed, added }) => {
    if (at < end) return false
    insert += text.slice(end, at) + added
    end = at + removed
    return true
  })
  const moved = (offset: number): number => {
    let shift = 0
    for (const { at, removed, added, keepsCaret } of made) {
      if (offset < at || (offset === at && keepsCaret)) break
      shift += added.length - Math.min(removed, offset - at)
    }
    return offset + shift
  }
  return smallest(state, {
    ...{ start, end, insert },
    ...{ selectionStart: moved(selectionStart), selectionEnd: moved(selectionEnd) },
  })
}

/** Shortens an edit by the unchanged characters at its ends. Returns null for no change. */
function smallest({ text, selectionStart, selectionEnd }: TextState, edit: Edit): Edit | null {
  const { start, end, insert } = edit
  const old = text.slice(start, end)
  let { prefix: before, suffix: after } = commonEnds(old, insert)
  if (before > 0 && isSurrogate(text, start + before - 1, 0xd800)) before--
  if (after > 0 && isSurrogate(text, end - after, 0xdc00)) after--
  const isSame = selectionStart === edit.selectionStart && selectionEnd === edit.selectionEnd
  if (old === insert && isSame) return null
  const kept = insert.slice(before, insert.length - after)
  return { ...edit, start: start + before, end: end - after, insert: kept }
}

/** @param kind 0xd800 for a high surrogate, 0xdc00 for a low one */
function isSurrogate(text: string, offset: number, kind: number): boolean {
  return (text.charCodeAt(offset) & 0xfc00) === kind
}

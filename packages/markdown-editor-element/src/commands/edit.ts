/** A text and what is selected in it; offsets are UTF-16 code units, as a textarea has them. */
export interface TextState {
  readonly text: string
  readonly selectionStart: number
  readonly selectionEnd: number
}

/** One change: `insert` takes the place of `[start, end)`, then the selection is set. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly insert: string
  readonly selectionStart: number
  readonly selectionEnd: number
}

/**
 * A pure function from a text to the change that a button or key makes; null if there is nothing to
 * do.
 */
export type Command = (state: TextState) => Edit | null

/** A command that adds or removes a mark, and a test whether the selection has the mark. */
export interface ToggleCommand {
  readonly run: Command
  readonly isActive: (state: TextState) => boolean
}

/**
 * One of several small changes: at the offset `at`, `added` takes the place of `removed`
 * characters.
 */
export interface Splice {
  readonly at: number
  readonly removed: number
  readonly added: string
  /** True if a caret at `at` stays before the added text. */
  readonly keepsCaret?: boolean
}

/** The text and selection after an edit. */
export function applyEdit(state: TextState, edit: Edit): TextState {
  return {
    text: state.text.slice(0, edit.start) + edit.insert + state.text.slice(edit.end),
    selectionStart: edit.selectionStart,
    selectionEnd: edit.selectionEnd,
  }
}

/** The smallest edit that leads from one state to another; null when nothing differs. */
export function editBetween(from: TextState, to: TextState): Edit | null {
  return smallest(from, { ...to, start: 0, end: from.text.length, insert: to.text })
}

/**
 * Combines several small changes into the smallest edit. The selection is kept.
 *
 * @param splices in order; a splice that begins inside a removed range is ignored
 */
export function spliced(state: TextState, splices: readonly Splice[]): Edit | null {
  const { text, selectionStart, selectionEnd } = state
  const start = splices[0]?.at ?? 0
  let end = start
  let insert = ''
  const made = splices.filter(({ at, removed, added }) => {
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

/**
 * Returns an edit without the characters at its ends that stay the same; null if nothing remains.
 */
function smallest({ text, selectionStart, selectionEnd }: TextState, edit: Edit): Edit | null {
  const { insert } = edit
  let { start, end } = edit
  let from = 0
  let to = insert.length
  while (start < end && from < to && text[start] === insert[from]) {
    start++
    from++
  }
  if (from > 0 && isSurrogate(text, start - 1, 0xd800)) {
    start--
    from--
  }
  while (start < end && from < to && text[end - 1] === insert[to - 1]) {
    end--
    to--
  }
  if (to < insert.length && isSurrogate(text, end, 0xdc00)) {
    end++
    to++
  }
  const sameSelection = selectionStart === edit.selectionStart && selectionEnd === edit.selectionEnd
  if (start === end && from === to && sameSelection) return null
  return { ...edit, start, end, insert: insert.slice(from, to) }
}

/**
 * True for the first (`kind` 0xd800) or the second (0xdc00) half of a character that takes two code
 * units.
 */
function isSurrogate(text: string, offset: number, kind: number): boolean {
  return (text.charCodeAt(offset) & 0xfc00) === kind
}

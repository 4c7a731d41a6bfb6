import { isDigit, isSpaceOrTab, skipRun, skipSpaces } from '../grammar/characters.ts'

/** An opening code fence. */
export interface Fence {
  /** Code of `` ` `` or `~`. */
  readonly code: number
  readonly length: number
}

/** A list marker. */
export interface ListMarker {
  /** Characters of the marker. */
  readonly length: number
  /** Whether a list with this marker may interrupt a paragraph: bullets, and the number 1. */
  readonly canInterrupt: boolean
}

/** Whether `#` to `######` and white space, or nothing more, begin at `from`. */
export function isAtxHeading(text: string, from: number, end: number): boolean {
  const after = skipRun(text, from, end)
  return after - from <= 6 && isEndOrSpace(text, after, end)
}

/** Whether the line is `===` or `---` from `from` on: it makes the paragraph before it a heading. */
export function isSetextUnderline(text: string, from: number, end: number): boolean {
  return skipSpaces(text, skipRun(text, from, end), end) === end
}

/** The code fence that opens at `from`; null when there is none. The info string of a backtick fence has no backtick. */
export function matchFence(text: string, from: number, end: number): Fence | null {
  const code = text.charCodeAt(from)
  const after = skipRun(text, from, end)
  if (after - from < 3) return null
  if (text[from] === '`' && text.slice(after, end).includes('`')) return null
  return { code, length: after - from }
}

/** Whether the line closes a fence. */
export function isClosingFence(text: string, from: number, end: number, fence: Fence): boolean {
  if (text.charCodeAt(from) !== fence.code) return false
  const after = skipRun(text, from, end)
  return after - from >= fence.length && skipSpaces(text, after, end) === end
}

/** The list marker at `from`; null when there is none. */
export function matchListMarker(text: string, from: number, end: number): ListMarker | null {
  if ('*+-'.includes(text.charAt(from))) {
    return isEndOrSpace(text, from + 1, end) ? { length: 1, canInterrupt: true } : null
  }
  let after = from
  while (after < end && after - from < 9 && isDigit(text.charCodeAt(after))) after++
  if (after === from || after === end || (text[after] !== ')' && text[after] !== '.')) return null
  if (!isEndOrSpace(text, after + 1, end)) return null
  return { length: after + 1 - from, canInterrupt: Number(text.slice(from, after)) === 1 }
}

/**
 * Recognises thematic breaks. The lines of `- - - - x` open a list in a list at each marker, and each asks again whether
 * the rest of the line is a break: what ended the last search is remembered, so that a line is read once.
 */
export class ThematicBreaks {
  readonly #document: string
  #code = 0
  #stoppedAt = -1

  constructor(document: string) {
    this.#document = document
  }

  /** Whether three or more of the same `*`, `-` or `_`, and white space, are all from `from` on. */
  matches(from: number, end: number): boolean {
    const code = this.#document.charCodeAt(from)
    if (code === this.#code && from < this.#stoppedAt && this.#stoppedAt < end) return false
    let count = 0
    let position = from
    for (; position < end; position++) {
      const next = this.#document.charCodeAt(position)
      if (next === code) count++
      else if (!isSpaceOrTab(next)) break
    }
    this.#code = code
    this.#stoppedAt = position
    return position === end && count >= 3
  }
}

function isEndOrSpace(text: string, position: number, end: number): boolean {
  return position >= end || isSpaceOrTab(text.charCodeAt(position))
}

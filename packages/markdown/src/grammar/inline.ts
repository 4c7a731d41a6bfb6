import { isWhitespace } from './characters.ts'

const punctuation = /[!-/:-@[-`{-~]/
// The limit of cmark, which keeps hostile texts cheap.
const maxParentheses = 32

/** The position of a link destination. */
export interface Destination {
  /** The start of the URL, without angle brackets. */
  readonly start: number
  /** The end of the URL. */
  readonly end: number
  /** The position after the destination, including angle brackets. */
  readonly after: number
}

/** A bracket that may begin a link or an image. */
export interface Bracket {
  /** The position of the `[`. */
  readonly position: number
  readonly isImage: boolean
  /** Whether another bracket was opened after it. */
  hasInner: boolean
}

/** Whether a backslash escapes the next character. */
export function isEscape(text: string, position: number): boolean {
  return text[position] === '\\' && punctuation.test(text.charAt(position + 1))
}

/**
 * Reads the link destination at `from`. Without angle brackets, a destination may be empty.
 *
 * @returns null if there is no destination
 */
export function matchDestination(text: string, from: number): Destination | null {
  return text[from] === '<' ? matchAngleDestination(text, from) : matchPlainDestination(text, from)
}

function matchAngleDestination(text: string, from: number): Destination | null {
  for (let position = from + 1; position < text.length; position++) {
    const character = text[position]
    if (character === '>') return { start: from + 1, end: position, after: position + 1 }
    if (character === '<' || character === '\n' || character === '\r') return null
    if (isEscape(text, position)) position++
  }
  return null
}

/** Reads a destination without angle brackets. Its parentheses must be balanced. */
function matchPlainDestination(text: string, from: number): Destination | null {
  let open = 0
  let position = from
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (isEscape(text, position)) position++
    else if (code === 0x28 && ++open > maxParentheses) return null
    else if (code === 0x29 && --open < 0) break
    else if (isControlOrSpace(code)) break
  }
  return open > 0 ? null : { start: from, end: position, after: position }
}

/** Returns the position after the link title at `from`; -1 if there is no title. */
export function titleEnd(text: string, from: number): number {
  const opening = text[from]
  if (opening !== '"' && opening !== "'" && opening !== '(') return -1
  const closing = opening === '(' ? ')' : opening
  for (let position = from + 1; position < text.length; position++) {
    const character = text[position]
    if (character === closing) return position + 1
    if (character === opening) return -1
    if (isEscape(text, position)) position++
  }
  return -1
}

// NUL is allowed, because Markdown replaces it with U+FFFD.
function isControlOrSpace(code: number): boolean {
  return isWhitespace(code) || (code <= 0x20 && code !== 0) || code === 0x7f
}

/** The open brackets of a text, from the outermost to the innermost. */
export class Brackets {
  readonly #open: Bracket[] = []
  /** Brackets below this depth cannot begin a link, because they contain one: links do not nest. */
  #linkFloor = 0

  open(position: number, isImage: boolean): void {
    const outer = this.#open.at(-1)
    if (outer !== undefined) outer.hasInner = true
    this.#open.push({ position, isImage, hasInner: false })
  }

  /** Removes the innermost bracket. Returns null if there is none, or if it cannot begin a link. */
  close(): Bracket | null {
    const bracket = this.#open.pop()
    const isActive = this.#open.length >= this.#linkFloor
    this.#linkFloor = Math.min(this.#linkFloor, this.#open.length)
    return bracket !== undefined && (isActive || bracket.isImage) ? bracket : null
  }

  /**
   * Prevents the open brackets from beginning a link. Call it when a link was found inside them.
   */
  forbidLinks(): void {
    this.#linkFloor = this.#open.length
  }
}

/**
 * Finds the ends of the code spans in a text. If called from left to right, it reads the text at
 * most twice.
 */
export class CodeSpans {
  readonly #text: string
  // The position of the last run of backticks, by length, after the text was read to its end.
  readonly #lastRuns = new Map<number, number>()
  #isSearched = false

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Returns the position after the code span that begins with the backticks at `from`. If nothing
   * closes the span, returns the position after the backticks.
   */
  end(from: number): number {
    const content = this.#runEnd(from)
    const length = content - from
    if (this.#isSearched && (this.#lastRuns.get(length) ?? -1) < content) return content
    let run = this.#text.indexOf('`', content)
    while (run !== -1) {
      const after = this.#runEnd(run)
      if (after - run === length) return after
      if (!this.#isSearched) this.#lastRuns.set(after - run, run)
      run = this.#text.indexOf('`', after)
    }
    this.#isSearched = true
    return content
  }

  #runEnd(from: number): number {
    let position = from + 1
    while (this.#text[position] === '`') position++
    return position
  }
}

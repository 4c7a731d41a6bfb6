import type { Range } from './selection.ts'

/** A link with an address in parentheses: `[label](address "title")`. */
export interface LinkSpan extends Range {
  /** As it is written. */
  readonly label: string
  /** Where the address stands, without angle brackets. */
  readonly address: Range
  /** As it is written, without quotation marks; `''` for none. */
  readonly title: string
}

const PUNCTUATION = /[!-/:-@[-`{-~]/
// The limit of cmark, which keeps hostile texts cheap.
const MAX_PARENTHESES = 32

/** The position of a link destination. */
interface Destination {
  /** The start of the URL, without angle brackets. */
  readonly start: number
  /** The end of the URL. */
  readonly end: number
  /** The position after the destination, including angle brackets. */
  readonly after: number
}

interface Tail extends Pick<LinkSpan, 'address' | 'title'> {
  readonly end: number
}

/** Finds the links of a text, from left to right, in linear time, without pictures. */
export function* linkSpans(text: string): Generator<LinkSpan> {
  const open: { readonly position: number; readonly isImage: boolean }[] = []
  // Brackets below this depth cannot begin a link, because they contain one: links do not nest.
  let floor = 0
  for (let at = 0; at < text.length; at++) {
    if (isEscape(text, at)) at++
    else if (text[at] === '[') open.push({ position: at, isImage: text[at - 1] === '!' })
    else if (text[at] === ']') {
      const bracket = open.pop()
      const mayLink = bracket?.isImage === true || open.length >= floor
      floor = Math.min(floor, open.length)
      const tail = mayLink && text[at + 1] === '(' ? tailAt(text, at + 2) : null
      if (bracket === undefined || tail === null) continue
      if (!bracket.isImage) {
        floor = open.length
        yield { start: bracket.position, label: text.slice(bracket.position + 1, at), ...tail }
      }
      at = tail.end - 1
    }
  }
}

/** Reads the address and the title after `](`. */
function tailAt(text: string, from: number): Tail | null {
  const destination = matchDestination(text, skipWhitespace(text, from))
  if (destination === null) return null
  const { start, end, after } = destination
  const space = skipWhitespace(text, after)
  const titled = space === after ? -1 : titleEnd(text, space)
  const close = titled === -1 ? space : skipWhitespace(text, titled)
  if (text[close] !== ')') return null
  return {
    address: { start, end },
    title: titled === -1 ? '' : text.slice(space + 1, titled - 1),
    end: close + 1,
  }
}

/** Whether a backslash escapes the next character. */
function isEscape(text: string, position: number): boolean {
  return text[position] === '\\' && PUNCTUATION.test(text.charAt(position + 1))
}

/**
 * Reads the link destination at `from`. Without angle brackets, a destination may be empty.
 *
 * @returns null if there is no destination
 */
function matchDestination(text: string, from: number): Destination | null {
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

// The parentheses of a destination without angle brackets must be balanced.
function matchPlainDestination(text: string, from: number): Destination | null {
  let open = 0
  let position = from
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (isEscape(text, position)) position++
    else if (code === 0x28 && ++open > MAX_PARENTHESES) return null
    else if (code === 0x29 && --open < 0) break
    else if (isControlOrSpace(code)) break
  }
  return open > 0 ? null : { start: from, end: position, after: position }
}

/** Returns the position after the link title at `from`; -1 if there is no title. */
function titleEnd(text: string, from: number): number {
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
  return (code <= 0x20 && code !== 0) || code === 0x7f
}

function skipWhitespace(text: string, from: number): number {
  let position = from
  while (/[ \t\n\r]/.test(text.charAt(position))) position++
  return position
}

import { isPunctuation, isWhitespace } from './characters.ts'

const backslash = 0x5c
const maxParentheses = 32

/** The place of a link destination. */
export interface Destination {
  /** Position of the URL, without angle brackets. */
  readonly start: number
  /** Position after the URL. */
  readonly end: number
  /** Position after the destination, with angle brackets. */
  readonly after: number
}

/** The link destination at `from`; null when there is none. One without angle brackets may be empty. */
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

/** Parentheses must be balanced, at most 32 deep: the limit of cmark, which keeps hostile texts cheap. */
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

/** Position after the link title at `from`; -1 when there is none. */
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

/** Whether a backslash escapes the character after it. */
export function isEscape(text: string, position: number): boolean {
  return text.charCodeAt(position) === backslash && isPunctuation(text.charCodeAt(position + 1))
}

/** NUL counts as the replacement character that it stands for. */
function isControlOrSpace(code: number): boolean {
  return isWhitespace(code) || (code <= 0x20 && code !== 0) || code === 0x7f
}

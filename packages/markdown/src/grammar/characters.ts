/** Whether a character code is a space, a tab or a line ending. */
export function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** Whether a character code is an ASCII letter. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** Whether a character code is an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Whether a character code is ASCII punctuation, which a backslash can escape. */
export function isPunctuation(code: number): boolean {
  return (
    (code >= 0x21 && code <= 0x2f) ||
    (code >= 0x3a && code <= 0x40) ||
    (code >= 0x5b && code <= 0x60) ||
    (code >= 0x7b && code <= 0x7e)
  )
}

/**
 * Returns the position of the first character at or after `from` that is not white space; at most
 * `end`.
 */
export function skipWhitespace(text: string, from: number, end: number = text.length): number {
  let position = from
  while (position < end && isWhitespace(text.charCodeAt(position))) position++
  return position
}

/**
 * Returns the position of the first character at or after `from` that is not a space or tab; at
 * most `end`.
 */
export function skipSpaces(text: string, from: number, end: number = text.length): number {
  let position = from
  while (position < end && (text[position] === ' ' || text[position] === '\t')) position++
  return position
}

/** Returns the position after the run of equal characters that begins at `from`. */
export function skipRun(text: string, from: number): number {
  let position = from + 1
  while (position < text.length && text[position] === text[from]) position++
  return position
}

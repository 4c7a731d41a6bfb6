// A space or a tab.
function isSpaceOrTab(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Whether the code is that of a space, a tab or a line ending. */
export function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** Whether the code is that of an ASCII letter. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** Whether the code is that of an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Whether the code is that of ASCII punctuation: what a backslash can escape. */
export function isPunctuation(code: number): boolean {
  return (
    (code >= 0x21 && code <= 0x2f) ||
    (code >= 0x3a && code <= 0x40) ||
    (code >= 0x5b && code <= 0x60) ||
    (code >= 0x7b && code <= 0x7e)
  )
}

/** Position of the first character from `from` on that is no white space; at most `end`. */
export function skipWhitespace(text: string, from: number, end: number = text.length): number {
  let position = from
  while (position < end && isWhitespace(text.charCodeAt(position))) position++
  return position
}

/** Position of the first character from `from` on that is no space or tab; at most `end`. */
export function skipSpaces(text: string, from: number, end: number = text.length): number {
  let position = from
  while (position < end && isSpaceOrTab(text.charCodeAt(position))) position++
  return position
}

/** Position after a run of one character that begins at `from`; at most `end`. */
export function skipRun(text: string, from: number, end: number = text.length): number {
  const code = text.charCodeAt(from)
  let position = from
  while (position < end && text.charCodeAt(position) === code) position++
  return position
}

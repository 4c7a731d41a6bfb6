/** Whether a character code is a space, a tab or a line ending. */
export function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** Returns the position of the first character at or after `from` that is not white space. */
export function skipWhitespace(text: string, from: number): number {
  let position = from
  while (isWhitespace(text.charCodeAt(position))) position++
  return position
}

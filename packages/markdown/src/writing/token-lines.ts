import type { Token } from 'markdown-it'

/** The index of the token that closes a paragraph. */
export function findClose(tokens: readonly Token[], open: number): number {
  let index = open + 1
  while (index < tokens.length - 1 && tokens[index]?.type !== 'paragraph_close') index++
  return index
}

/** The line break behind the text of a tight list item, which has no paragraph. */
export function lineBreakBefore(tokens: readonly Token[], index: number): string {
  const before = tokens[index - 1]
  return tokens[index]?.block && before?.hidden === true && before.nesting === -1 ? '\n' : ''
}

/** Whether an opening tag is followed by a line break. */
export function breaksLine(token: Token, next: Token | undefined): boolean {
  if (next === undefined) return true
  return next.type !== 'inline' && !next.hidden && !(next.nesting === -1 && next.tag === token.tag)
}

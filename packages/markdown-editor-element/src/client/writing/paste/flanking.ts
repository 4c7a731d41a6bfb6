import { isSpace, isWord } from './escape.ts'

/**
 * Whether a sign around a text is read as a mark there.
 *
 * @see https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
 */
export function fits(sign: string, inner: string, before: string, after: string): boolean {
  const character = sign.charAt(0)
  const first = inner.charAt(0)
  const last = inner.slice(-1)
  if ([before, after, first, last].includes(character)) return false
  if (sign === '~' || sign === '^') return /^[\p{L}\p{N}+,.()-]+$/u.test(inner)
  const outside = sign === '_' ? !isWord(before) && !isWord(after) : true
  // What may be half of a character counts as whatever would do harm.
  const opens = (isWord(first) && !isHalf(first)) || !isWord(before)
  const closes = (isWord(last) && !isHalf(last)) || !isWord(after)
  return outside && opens && closes && !isSpace(first) && !isSpace(last)
}

function isHalf(character: string): boolean {
  return /[\ud800-\udfff]/.test(character)
}

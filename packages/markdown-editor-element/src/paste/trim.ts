/**
 * A text without the characters of a kind at its end. A regular expression such as `/ +$/` takes quadratic time for a
 * long run that stands elsewhere.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

import { isWhitespace } from './characters.ts'

/**
 * Reports the URL of each image candidate in a `srcset` attribute (WHATWG HTML, "parsing a srcset attribute").
 * Commas and white space that are written as character references are read as parts of URLs.
 */
export function eachSrcsetUrl(
  text: string,
  from: number,
  to: number,
  onUrl: (start: number, end: number) => void,
): void {
  let position = from
  while (position < to) {
    const start = skipHtmlSpace(text, position)
    if (start >= to) return
    let end = start
    while (end < to && !isHtmlSpace(text.charCodeAt(end))) end++
    position = end
    while (end > start && text[end - 1] === ',') end--
    if (end === position) position = descriptorsEnd(text, position, to)
    if (end > start) onUrl(start, end)
  }
}

/** Position after the comma that ends the descriptors of a candidate; commas in parentheses do not. */
function descriptorsEnd(text: string, from: number, to: number): number {
  let isInParentheses = false
  for (let position = from; position < to; position++) {
    const character = text[position]
    if (character === '(') isInParentheses = true
    else if (character === ')') isInParentheses = false
    else if (character === ',' && !isInParentheses) return position + 1
  }
  return to
}

function skipHtmlSpace(text: string, from: number): number {
  let position = from
  while (position < text.length && isHtmlSpace(text.charCodeAt(position))) position++
  return position
}

// Unlike Markdown, HTML counts a form feed as white space.
function isHtmlSpace(code: number): boolean {
  return isWhitespace(code) || code === 0x0c
}

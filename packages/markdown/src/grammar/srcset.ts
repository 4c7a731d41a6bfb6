import { isWhitespace } from './characters.ts'

/**
 * Returns the URL of each image candidate in the value of a `srcset` attribute.
 *
 * @see https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
 */
export function srcsetUrls(srcset: string): string[] {
  const urls: string[] = []
  let position = 0
  while (position < srcset.length) {
    const start = skipHtmlSpace(srcset, position)
    let end = start
    while (end < srcset.length && !isHtmlSpace(srcset.charCodeAt(end))) end++
    position = end
    while (end > start && srcset[end - 1] === ',') end--
    if (end === position) position = descriptorsEnd(srcset, position)
    if (end > start) urls.push(srcset.slice(start, end))
  }
  return urls
}

/**
 * Returns the position after the comma that ends the descriptors of a candidate. Commas in
 * parentheses do not end them.
 */
function descriptorsEnd(srcset: string, from: number): number {
  let isInParentheses = false
  for (let position = from; position < srcset.length; position++) {
    const character = srcset[position]
    if (character === '(') isInParentheses = true
    else if (character === ')') isInParentheses = false
    else if (character === ',' && !isInParentheses) return position + 1
  }
  return srcset.length
}

function skipHtmlSpace(text: string, from: number): number {
  let position = from
  while (position < text.length && isHtmlSpace(text.charCodeAt(position))) position++
  return position
}

// In HTML, unlike in Markdown, a form feed is white space.
function isHtmlSpace(code: number): boolean {
  return isWhitespace(code) || code === 0x0c
}

import { isWhitespace } from './characters.ts'

/** Hears of each attribute of a tag that has a value: its name in lower case, and the bounds of its value. */
export type OnAttribute = (name: string, start: number, end: number) => void

/**
 * Reads the attributes of a tag as browsers do (WHATWG HTML, section 13.2.5.32 on).
 *
 * @param from position after the tag name.
 * @returns the position after the tag; -1 when it has no end.
 */
export function readAttributes(text: string, from: number, onAttribute: OnAttribute): number {
  let position = from
  while (position < text.length) {
    const character = text[position]
    if (character === '>') return position + 1
    if (character === '/' || isHtmlSpace(text.charCodeAt(position))) position++
    else position = readAttribute(text, position, onAttribute)
    if (position === -1) return -1
  }
  return -1
}

/** Position of the first character from `from` on that ends a tag name: white space, `/` or `>`. */
export function htmlNameEnd(text: string, from: number): number {
  let position = from
  while (position < text.length && !isNameEnd(text, position)) position++
  return position
}

function readAttribute(text: string, from: number, onAttribute: OnAttribute): number {
  let nameEnd = from + 1
  while (nameEnd < text.length && text[nameEnd] !== '=' && !isNameEnd(text, nameEnd)) nameEnd++
  const equals = skipHtmlSpace(text, nameEnd)
  if (text[equals] !== '=') return nameEnd
  const value = skipHtmlSpace(text, equals + 1)
  const end = valueEnd(text, value)
  if (end === -1) return -1
  const isQuoted = text[value] === '"' || text[value] === "'"
  onAttribute(
    text.slice(from, nameEnd).toLowerCase(),
    isQuoted ? value + 1 : value,
    isQuoted ? end - 1 : end,
  )
  return end
}

/** Position after the value, with its closing quote; -1 when that is missing. */
function valueEnd(text: string, from: number): number {
  const first = text[from]
  if (first === '"' || first === "'") return text.indexOf(first, from + 1) + 1 || -1
  let end = from
  while (end < text.length && text[end] !== '>' && !isHtmlSpace(text.charCodeAt(end))) end++
  return end
}

function isNameEnd(text: string, position: number): boolean {
  return text[position] === '>' || text[position] === '/' || isHtmlSpace(text.charCodeAt(position))
}

/** Position of the first character from `from` on that is no white space. */
export function skipHtmlSpace(text: string, from: number): number {
  let position = from
  while (position < text.length && isHtmlSpace(text.charCodeAt(position))) position++
  return position
}

/** Whether the code is that of what HTML calls white space; a form feed is, unlike in Markdown. */
export function isHtmlSpace(code: number): boolean {
  return isWhitespace(code) || code === 0x0c
}

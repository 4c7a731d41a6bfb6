import { isDigit, isLetter, isWhitespace, skipWhitespace } from './characters.ts'

const minus = 0x2d
const slash = 0x2f
const greater = 0x3e

/**
 * Returns the position after the opening or closing tag that begins with the `<` at `from`, by the
 * rules of CommonMark; -1 if there is no tag. It uses no regular expression, because long tags
 * would exceed the limit of their backtracking.
 *
 * @see https://spec.commonmark.org/0.31.2/#raw-html
 */
export function tagEnd(text: string, from: number): number {
  const isClosing = text.charCodeAt(from + 1) === slash
  const name = isClosing ? from + 2 : from + 1
  if (!isLetter(text.charCodeAt(name))) return -1
  const afterName = tagNameEnd(text, name)
  const afterAttributes = isClosing ? afterName : attributesEnd(text, afterName)
  if (afterAttributes === -1) return -1
  let position = skipWhitespace(text, afterAttributes)
  if (!isClosing && text.charCodeAt(position) === slash) position++
  return text.charCodeAt(position) === greater ? position + 1 : -1
}

/** Returns the position after the tag name that begins with the letter at `from`. */
export function tagNameEnd(text: string, from: number): number {
  let position = from + 1
  while (isNameCharacter(text.charCodeAt(position))) position++
  return position
}

function attributesEnd(text: string, from: number): number {
  let end = from
  for (;;) {
    const name = skipWhitespace(text, end)
    if (name === end || !isAttributeStart(text.charCodeAt(name))) return end
    end = attributeEnd(text, name)
    if (end === -1) return -1
  }
}

/** Returns the position after an attribute and its value; -1 if the value is malformed. */
function attributeEnd(text: string, name: number): number {
  let position = name + 1
  while (isAttributeCharacter(text.charCodeAt(position))) position++
  const equals = skipWhitespace(text, position)
  if (text.charCodeAt(equals) !== 0x3d) return position
  const value = skipWhitespace(text, equals + 1)
  const quote = text[value]
  if (quote === '"' || quote === "'") return text.indexOf(quote, value + 1) + 1 || -1
  position = value
  while (position < text.length && isUnquotedCharacter(text.charCodeAt(position))) position++
  return position === value ? -1 : position
}

function isNameCharacter(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === minus
}

/** A letter, `_` or `:`. */
function isAttributeStart(code: number): boolean {
  return isLetter(code) || code === 0x5f || code === 0x3a
}

/** A letter, `_`, `:`, a digit, `.` or `-`. */
function isAttributeCharacter(code: number): boolean {
  return isAttributeStart(code) || isDigit(code) || code === 0x2e || code === minus
}

/** Anything except white space and ``"'=<>` ``. */
function isUnquotedCharacter(code: number): boolean {
  return (
    !isWhitespace(code) &&
    code !== 0x22 &&
    code !== 0x27 &&
    code !== 0x60 &&
    (code < 0x3c || code > 0x3e)
  )
}

import { isDigit, isLetter, isWhitespace, skipWhitespace } from './characters.ts'

const minus = 0x2d
const slash = 0x2f
const greater = 0x3e

/**
 * Position after the open or closing tag that begins with the `<` at `from`, as CommonMark (section 6.6) reads it; -1
 * when it is none. Written without regular expressions: their backtracking has a limit that long tags would reach.
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

/** Position after the tag name that begins with the letter at `from`, as CommonMark reads it. */
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

/** Position after an attribute and its value; -1 when the value is malformed. */
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

/** Like the first character of a name, and also a digit, `.` or `-`. */
function isAttributeCharacter(code: number): boolean {
  return isAttributeStart(code) || isDigit(code) || code === 0x2e || code === minus
}

/** Neither white space nor one of ``"'=<>` ``. */
function isUnquotedCharacter(code: number): boolean {
  return (
    !isWhitespace(code) &&
    code !== 0x22 &&
    code !== 0x27 &&
    code !== 0x60 &&
    (code < 0x3c || code > 0x3e)
  )
}

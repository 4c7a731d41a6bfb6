import { bareAddressAt } from '@quillgate/markdown/grammar'

interface TextPlace {
  /** The character before the text in the Markdown; `''` at the start of a line. */
  readonly before: string
  /** The character after the text in the Markdown; `''` at the end of a line. */
  readonly after: string
  readonly inLink: boolean
  readonly inCell: boolean
  /** Whether the document may define link labels, so that `[any]` could become a link. */
  readonly labels: boolean
}

const SPECIAL = /[\\`*_~^=[\]<&!|]|https?(?=:\/\/)|www(?=\.)/gi
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{0,31});/iy
// A code unit of a surrogate pair does not match.
const LETTER = /^[\p{L}\p{N}]/u
const ASCII_PUNCTUATION = /^[!-/:-@[-`{-~]/

/**
 * Returns whether a character is white space, or `''`, which stands for the start or end of a line.
 */
export function isSpace(character: string): boolean {
  return character === '' || /^\s/.test(character)
}

/**
 * Returns whether a character is neither white space nor punctuation nor a symbol. Also true for
 * halves of surrogate pairs.
 */
function isWord(character: string): boolean {
  return !isSpace(character) && !/^[\p{P}\p{S}]/u.test(character)
}

/** Escapes a text so that Markdown shows it as it is, with as few backslashes as possible. */
export function escapeText(text: string, place: TextPlace): string {
  const parts: string[] = []
  let from = 0
  SPECIAL.lastIndex = 0
  for (let match = SPECIAL.exec(text); match !== null; match = SPECIAL.exec(text)) {
    const at = match.index
    const between = text.slice(from, at)
    const lead = between.slice(-2) || (parts.at(-1) ?? place.before).slice(-2)
    const isAddress = match[0].length > 1
    const run = isAddress
      ? addressAt(text, at, match[0], lead, place)
      : runAt(text, at, match[0], place)
    parts.push(between, run.markdown)
    from = run.end
    SPECIAL.lastIndex = from
  }
  return from === 0 ? text : parts.join('') + text.slice(from)
}

interface Escaped {
  readonly markdown: string
  readonly end: number
}

function runAt(text: string, at: number, character: string, place: TextPlace): Escaped {
  let end = at + 1
  if ('*_~^='.includes(character)) while (text[end] === character) end++
  const length = end - at
  const before = at === 0 ? place.before : text.charAt(at - 1)
  const after = end === text.length ? place.after : text.charAt(end)
  const escaped = isSpecial(text, { character, at, end, before, after }, place)
  return { markdown: escaped ? `\\${character}`.repeat(length) : character.repeat(length), end }
}

interface Found {
  readonly character: string
  readonly at: number
  readonly end: number
  readonly before: string
  readonly after: string
}

function isSpecial(text: string, found: Found, place: TextPlace): boolean {
  const { character, at, end, before, after } = found
  const alone = isSpace(before) && isSpace(after)
  switch (character) {
    case '\\':
      return after === '' || ASCII_PUNCTUATION.test(after)
    case '`':
      return true
    case '*':
      return !alone
    case '_':
      return !alone && !(LETTER.test(before) && LETTER.test(after))
    case '=':
      return before === '=' || (end - at > 1 && !alone)
    case '~':
    case '^':
      return (
        before === character ||
        (end - at > 1 && !alone) ||
        isRaised(text, end, character, place.after)
      )
    case '[':
      return place.inLink || place.labels || after === '^'
    case ']':
      return place.inLink || /[([]/.test(after) || (end === text.length && !isSpace(after))
    case '<':
      return /[a-z/!?]/i.test(after) || (end === text.length && !isSpace(after))
    case '&':
      ENTITY.lastIndex = at
      return ENTITY.test(text)
    case '!':
      return end === text.length && after === '['
    default:
      return place.inCell
  }
}

/** Whether a `~` or `^` before an offset has a closing partner, with no space in between. */
function isRaised(text: string, from: number, character: string, after: string): boolean {
  for (let at = from; at < text.length; at++) {
    const next = text.charAt(at)
    // An escaped space does not separate them.
    if (isSpace(next) && (at === from || text[at - 1] !== '\\')) return false
    if (next === character) return true
  }
  return !isSpace(after)
}

/**
 * Writes a bare address, or the start of a text that must not become one.
 *
 * @param start the prefix at `at`: `http`, `https` or `www`
 * @param lead the Markdown before it
 */
function addressAt(
  text: string,
  at: number,
  start: string,
  lead: string,
  place: TextPlace,
): Escaped {
  const isWww = start.toLowerCase() === 'www'
  const end = at + start.length
  const ahead = text.slice(at, at + MAX_ADDRESS)
  const found = bareAddressAt(lead + ahead, lead.length + (isWww ? 0 : start.length))
  const length = found === null || found.start !== lead.length ? 0 : found.end - lead.length
  const url = ahead.slice(0, length)
  const rest = /^\S*/.exec(ahead.slice(length))?.[0] ?? ''
  const touches = at + length + rest.length >= text.length && !isSpace(place.after)
  const isPlain =
    PLAIN_END.test(length === 0 ? rest.slice(start.length) : rest) &&
    !(place.inLink && /[[\]]/.test(url))
  if (isPlain && !touches && length < MAX_ADDRESS) {
    if (length === 0) return { markdown: start, end }
    return { markdown: place.inCell ? url.replaceAll('|', '\\|') : url, end: at + length }
  }
  // Without escaping, the next characters would become part of the address, or the text would
  // become an address.
  const isLink = length > 0 && !isWww && !place.inLink && !/[>|]/.test(url)
  return isLink
    ? { markdown: `<${url}>`, end: at + length }
    : { markdown: `${start}\\${text.charAt(end)}`, end: end + 1 }
}

const MAX_ADDRESS = 2000
const PLAIN_END = /^[a-z\d.,;:/?!)"'»…-]*$/i

const HEADING_OR_ITEM = /^(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|~{3})/
const RULE = /^(?:=+|(?:-[ \t]*)+|(?:\*[ \t]*)+|(?:_[ \t]*)+)$/
const TABLE_RULE = /^[:|-][-:| \t]*$/

/** Escapes Markdown syntax at the start of a line of a paragraph, such as `# ` or `1. `. */
export function escapeLineStart(line: string): string {
  if (HEADING_OR_ITEM.test(line) || RULE.test(line) || TABLE_RULE.test(line)) {
    return `\\${line}`
  }
  if (/^\[(?:[ xX]\](?:\s|$)|[^[\]\\]*\]:|![a-z]+\]\s*$)/i.test(line)) return `\\${line}`
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/**
 * Returns whether Markdown reads a sign on both sides of a text as marks, by the flanking rules of
 * CommonMark.
 *
 * @param before the character before the first sign; `''` at the start of a line
 * @param after the character after the second sign; `''` at the end of a line
 */
export function fits(sign: string, inner: string, before: string, after: string): boolean {
  const character = sign.charAt(0)
  const first = inner.charAt(0)
  const last = inner.slice(-1)
  if ([before, after, first, last].includes(character)) return false
  if (sign === '~' || sign === '^') return /^[\p{L}\p{N}+,.()-]+$/u.test(inner)
  const outside = sign === '_' ? !isWord(before) && !isWord(after) : true
  // Half of a surrogate pair can belong to a letter or to a symbol, so both conditions assume the
  // worse case.
  const opens = (isWord(first) && !isHalf(first)) || !isWord(before)
  const closes = (isWord(last) && !isHalf(last)) || !isWord(after)
  return outside && opens && closes && !isSpace(first) && !isSpace(last)
}

function isHalf(character: string): boolean {
  return /[\ud800-\udfff]/.test(character)
}

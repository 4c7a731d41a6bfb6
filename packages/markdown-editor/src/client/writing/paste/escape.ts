import { bareAddressAt } from '../../../text/bare-addresses.ts'

/** Where a text stands. */
export interface TextPlace {
  /** The character before it in the markdown; `''` at the start of a line. */
  readonly before: string
  /** The one after it; `''` at the end of a line. */
  readonly after: string
  readonly inLink: boolean
  readonly inCell: boolean
  /** Whether the text around may define labels, so that `[any]` may be a link. */
  readonly labels: boolean
}

const SPECIAL = /[\\`*_~^=[\]<&!|]|https?(?=:\/\/)|www(?=\.)/gi
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{0,31});/iy
// Half of a character, as the code units of emoji are, is none.
const LETTER = /^[\p{L}\p{N}]/u
const ASCII_PUNCTUATION = /^[!-/:-@[-`{-~]/

/** True at the ends of lines too. */
export function isSpace(character: string): boolean {
  return character === '' || /^\s/.test(character)
}

/** True for letters, digits and what may be half of one. */
export function isWord(character: string): boolean {
  return !isSpace(character) && !/^[\p{P}\p{S}]/u.test(character)
}

/** A text as markdown that shows it as it is, with no more backslashes than it takes. */
export function escapeText(text: string, place: TextPlace): string {
  const parts: string[] = []
  let from = 0
  SPECIAL.lastIndex = 0
  for (let match = SPECIAL.exec(text); match !== null; match = SPECIAL.exec(text)) {
    const at = match.index
    const run = match[0].length > 1 ? addressAt(text, at, match[0], place) : runAt(text, at, match[0], place)
    parts.push(text.slice(from, at), run.markdown)
    from = run.end
    SPECIAL.lastIndex = from
  }
  return from === 0 ? text : parts.join('') + text.slice(from)
}

interface Escaped {
  readonly markdown: string
  readonly end: number
}

/** A special character, with those behind it that are the same. */
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
      return before === character || (end - at > 1 && !alone) || isRaised(text, end, character, place.after)
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

/** Whether a `~` or `^` before an offset may begin what another one ends: there is no space in between. */
function isRaised(text: string, from: number, character: string, after: string): boolean {
  for (let at = from; at < text.length; at++) {
    const next = text.charAt(at)
    // A space behind a backslash does not part them.
    if (isSpace(next) && (at === from || text[at - 1] !== '\\')) return false
    if (next === character) return true
  }
  return !isSpace(after)
}

/** A bare address: the renderer reads no markdown in it. */
function addressAt(text: string, at: number, start: string, place: TextPlace): Escaped {
  const isWww = start.toLowerCase() === 'www'
  const end = at + start.length
  // What stands before it decides; at the start that is in the markdown.
  const shift = at === 0 ? place.before : ''
  const address = bareAddressAt(shift + text, (isWww ? at : end) + shift.length)
  if (address === null || address.start !== at + shift.length) return { markdown: start, end }
  const addressEnd = address.end - shift.length
  const url = text.slice(at, addressEnd)
  const rest = /^\S*/.exec(text.slice(addressEnd, addressEnd + 40))?.[0] ?? ''
  const touches = addressEnd + rest.length === text.length && !isSpace(place.after)
  if (touches || (place.inLink && /[[\]]/.test(url)) || /[*_~^=`[\]]/.test(rest)) {
    // Something follows that would become part of it.
    if (isWww || place.inLink) return { markdown: isWww ? 'www\\.' : `${start}\\:`, end: end + 1 }
    return { markdown: `<${url}>`, end: addressEnd }
  }
  return { markdown: place.inCell ? url.replaceAll('|', '\\|') : url, end: addressEnd }
}

const HEADING_OR_ITEM = /^(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|~{3})/
const RULE = /^(?:=+|(?:-[ \t]*)+|(?:\*[ \t]*)+|(?:_[ \t]*)+)$/
const TABLE_RULE = /^[:|-][-:| \t]*$/

/** Escapes what has a meaning at the start of a line of a paragraph. */
export function escapeLineStart(line: string): string {
  if (HEADING_OR_ITEM.test(line) || RULE.test(line) || TABLE_RULE.test(line)) {
    return `\\${line}`
  }
  if (/^\[(?:[ xX]\](?:\s|$)|[^[\]\\]*\]:|![a-z]+\]\s*$)/i.test(line)) return `\\${line}`
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** A text in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

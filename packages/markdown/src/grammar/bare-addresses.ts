/** The place of an address in a text: from `start` up to, not including, `end`. */
export interface AddressBounds {
  readonly start: number
  readonly end: number
}

const colon = 0x3a
const openingBracket = 0x5b
const closingBracket = 0x5d
const less = 0x3c
// Longer than any host name. Where many addresses could begin within one name, each is read this far only.
const maxHost = 253
// Neither white space nor punctuation, ASCII symbols, control characters or what stands for broken ones.
const hostCharacter = '[^\\s\\p{P}$+<=>^`|~\\p{Cc}\\p{Cs}\\ufffd]'
const host = new RegExp(`^(?:${hostCharacter}|[_-])+(?:\\.(?:${hostCharacter}|[_-])+)*`, 'u')
const closing = /[?!.,:*_~'")\\]*(?:[\s<\]]|$)/y
const mailCharacter = /[\w.+-]/
const mailHost = /[\w-]+(?:\.[\w-]+)+/y
const mailScheme = 'mailto:'
// At the end of an address. Of ASCII what GFM lists, and the backslash that escapes it.
const punctuation = /[?!.,:*_~'"\\]|(?![\0-\x7f])\p{P}/u

/**
 * Finds the bare address that begins with `http://`, `https://` or `www.` (an "extended autolink" of GFM). It takes time
 * that is linear in the length of the address.
 *
 * What may stand before it is what GitHub takes, which is more than the specification says. `http://` may follow anything
 * but a letter, a digit, a backslash and `<`, where CommonMark looks for an autolink; `www.` only white space, one of
 * `*_~(["'`, `==` or a tag. Beyond GFM, an address ends before what belongs to the text around it: a `]` without its `[`,
 * a footnote, a `==` when it follows one, and at its end a backslash and punctuation of other scripts.
 *
 * @param text - with inline syntax
 * @param at - the position of the `:` or of the first `w`
 * @param limit - where the address ends at the latest
 * @returns null when there is none
 * @see https://github.github.com/gfm/#autolinks-extension-
 * @see https://github.com/github/cmark-gfm/blob/0.29.0.gfm.13/extensions/autolink.c
 */
export function bareAddressAt(
  text: string,
  at: number,
  limit: number = text.length,
): AddressBounds | null {
  const isWww = text.charCodeAt(at) !== colon
  const start = isWww ? at : schemeStart(text, at)
  if (start === -1 || (isWww && !beginsWithWww(text, at))) return null
  const before = text.slice(Math.max(0, start - 2), start)
  if (isWww ? !/^$|[\s*_~("'[>]$|^==$/.test(before) : /[a-z0-9<\\]$/i.test(before)) return null
  const hostStart = isWww ? at : at + '://'.length
  const hostEnd = hostEndAt(text, hostStart, limit, isWww)
  if (hostEnd === hostStart) return null
  return { start, end: trimEnd(text, hostEnd, addressEnd(text, hostEnd, limit, before === '==')) }
}

/**
 * Whether `www.`, in capitals or not, stands at a position.
 */
export function beginsWithWww(text: string, at: number): boolean {
  return (text.charCodeAt(at) | 0x20) === 0x77 && text.slice(at, at + 4).toLowerCase() === 'www.'
}

/**
 * The URL that a bare address means.
 *
 * @param address - as the text spells it
 */
export function bareAddressUrl(address: string): string {
  return beginsWithWww(address, 0) ? `http://${address}` : address
}

/**
 * Finds the mail address around an `@`, with `mailto:` if that stands before it. As in GitHub's parser it ends with a
 * letter, so that `name@1.2.3` is none.
 *
 * @param text - without inline syntax
 * @param at - the position of the `@`
 * @returns null when there is none
 */
export function mailAddressAt(text: string, at: number): AddressBounds | null {
  let start = at
  while (start > 0 && mailCharacter.test(text.charAt(start - 1))) start--
  mailHost.lastIndex = at + 1
  if (start === at || !mailHost.test(text)) return null
  const end = mailHost.lastIndex
  if (!/[a-z]/i.test(text.charAt(end - 1)) || /[@\p{L}\p{M}\p{N}]/u.test(text.charAt(end)))
    return null
  if (/[/@\p{L}\p{M}\p{N}]/u.test(text.charAt(start - 1))) return null
  const withScheme = start - mailScheme.length
  const hasScheme = withScheme >= 0 && text.slice(withScheme, start).toLowerCase() === mailScheme
  return {
    start: hasScheme && !/[a-z0-9]/i.test(text.charAt(withScheme - 1)) ? withScheme : start,
    end,
  }
}

/**
 * The URL that a mail address means.
 *
 * @param address - as the text spells it
 */
export function mailAddressUrl(address: string): string {
  return address.includes(':') ? address : `${mailScheme}${address}`
}

function schemeStart(text: string, at: number): number {
  if (!text.startsWith('//', at + 1)) return -1
  const scheme = /https?$/i.exec(text.slice(Math.max(0, at - 5), at))?.[0]
  return scheme === undefined ? -1 : at - scheme.length
}

// `from` when there is none: host names have no `_` in their last two labels, but emphasis may end behind them.
function hostEndAt(text: string, from: number, limit: number, isWww: boolean): number {
  const whole = host.exec(text.slice(from, Math.min(limit, from + maxHost + 1)))?.[0] ?? ''
  const trimmed = whole.replace(/[._]+$/, '')
  closing.lastIndex = from + trimmed.length
  const name = closing.test(text) ? trimmed : whole
  const secondLastDot = name.lastIndexOf('.', name.lastIndexOf('.') - 1)
  const isComplete = isWww ? name.length > 'www.'.length : /^[^_-]/.test(name)
  return isComplete && name.length <= maxHost && name.lastIndexOf('_') <= secondLastDot
    ? from + name.length
    : from
}

// Anything but white space and `<` belongs to an address, and nothing else begins within it.
function addressEnd(text: string, from: number, limit: number, isMarked: boolean): number {
  let open = 0
  for (let position = from; position < limit; position++) {
    const code = text.charCodeAt(position)
    if (code === less || isSpace(code)) return position
    if (code === openingBracket) {
      if (text[position + 1] === '^') return position
      open++
    } else if (code === closingBracket && --open < 0) return position
    else if (isMarked && text.startsWith('==', position)) return position
  }
  return limit
}

function isSpace(code: number): boolean {
  return code < 0x80
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d)
    : /\s/.test(String.fromCharCode(code))
}

// Leaves out what ends the sentence around an address rather than the address.
function trimEnd(text: string, start: number, untrimmed: number): number {
  let end = untrimmed
  let unopened = 0
  for (let position = start; position < end; position++) {
    if (text[position] === ')') unopened++
    else if (text[position] === '(') unopened--
  }
  while (end > start) {
    const last = text.charAt(end - 1)
    if (last === ')' && unopened > 0) unopened--
    else if (last === ';') end = referenceStart(text, start, end)
    else if (!punctuation.test(last)) return end
    end--
  }
  return end
}

// Position behind the `&` of what looks like a character reference (`&hl;`) and ends here; else `end`.
function referenceStart(text: string, start: number, end: number): number {
  let name = end - 1
  while (name > start && /[a-z0-9]/i.test(text.charAt(name - 1))) name--
  return name < end - 1 && text[name - 1] === '&' ? name : end
}

/** The position of an address in a text: `text.slice(start, end)`. */
export interface AddressBounds {
  readonly start: number
  readonly end: number
}

// The maximum length of a host name. Without a limit, long names could take quadratic time.
const maxHost = 253
// Matches all characters except white space, punctuation, ASCII symbols, control characters,
// surrogates and U+FFFD.
const hostCharacter = '[^\\s\\p{P}$+<=>^`|~\\p{Cc}\\p{Cs}\\ufffd]'
const host = new RegExp(`^(?:${hostCharacter}|[_-])+(?:\\.(?:${hostCharacter}|[_-])+)*`, 'u')
const closing = /[?!.,:*_~'")\\]*(?:[\s<\]]|$)/y
const mailCharacter = /[\w.+-]/
const mailHost = /[\w-]+(?:\.[\w-]+)+/y
const mailScheme = 'mailto:'
// Matches the punctuation that GFM lists, punctuation of other scripts, and the backslash.
const punctuation = /[?!.,:*_~'"\\]|(?![\0-\x7f])\p{P}/u

/**
 * Finds a bare address, an "extended autolink" of GFM, in linear time. A bare address begins with
 * `http://`, `https://` or `www.`.
 *
 * Like GitHub, accepts more characters before an address than the specification. Unlike GFM, also
 * ends an address before these characters: a `]` without its `[`, a footnote, a final backslash,
 * and final punctuation of other scripts. If `==` is directly before the address, a second `==`
 * ends it.
 *
 * @param text - inline source, in which Markdown syntax is not parsed yet
 * @param at - the position of the `:` of the address, or of its first `w`
 * @param limit - the position at which the address must end at the latest
 * @returns null if there is no address
 * @see https://github.github.com/gfm/#autolinks-extension-
 * @see https://github.com/github/cmark-gfm/blob/0.29.0.gfm.13/extensions/autolink.c
 */
export function bareAddressAt(
  text: string,
  at: number,
  limit: number = text.length,
): AddressBounds | null {
  const isWww = text[at] !== ':'
  const start = isWww ? at : schemeStart(text, at)
  if (start === -1 || (isWww && !beginsWithWww(text, at))) return null
  const before = text.slice(Math.max(0, start - 2), start)
  if (isWww ? !/^$|[\s*_~("'[>]$|^==$/.test(before) : /[a-z0-9<\\]$/i.test(before)) return null
  const hostStart = isWww ? at : at + '://'.length
  const hostEnd = hostEndAt(text, hostStart, limit, isWww)
  if (hostEnd === hostStart) return null
  return { start, end: trimEnd(text, hostEnd, addressEnd(text, hostEnd, limit, before === '==')) }
}

/** Returns true if a text has `www.` in upper or lower case at a position. */
export function beginsWithWww(text: string, at: number): boolean {
  return (text.charCodeAt(at) | 0x20) === 0x77 && text.slice(at, at + 4).toLowerCase() === 'www.'
}

/** Returns the URL of a bare address. */
export function bareAddressUrl(address: string): string {
  return beginsWithWww(address, 0) ? `http://${address}` : address
}

/**
 * Finds the mail address around an `@` in plain text. The address can begin with `mailto:`. As on
 * GitHub, it must end with a letter, so `name@1.2.3` is not a mail address.
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

/** Returns the URL of a mail address. */
export function mailAddressUrl(address: string): string {
  return address.includes(':') ? address : `${mailScheme}${address}`
}

function schemeStart(text: string, at: number): number {
  if (!text.startsWith('//', at + 1)) return -1
  const scheme = /https?$/i.exec(text.slice(Math.max(0, at - 5), at))?.[0]
  return scheme === undefined ? -1 : at - scheme.length
}

// Returns the end of a host, or `from` if there is none. The last two labels must not contain `_`.
// A final `_` can close emphasis, so it does not belong to the host.
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

// Returns the end of an address, including trailing punctuation.
function addressEnd(text: string, from: number, limit: number, isMarked: boolean): number {
  let open = 0
  for (let position = from; position < limit; position++) {
    const character = text.charAt(position)
    if (character === '<' || /\s/.test(character)) return position
    if (character === '[') {
      if (text[position + 1] === '^') return position
      open++
    } else if (character === ']' && --open < 0) return position
    else if (isMarked && text.startsWith('==', position)) return position
  }
  return limit
}

// Returns the end of an address without trailing characters that belong to the sentence.
function trimEnd(text: string, start: number, untrimmed: number): number {
  let end = untrimmed
  const address = text.slice(start, end)
  let unopened = address.split(')').length - address.split('(').length
  while (end > start) {
    const last = text.charAt(end - 1)
    if (last === ')' && unopened > 0) unopened--
    else if (last === ';') end = referenceStart(text, start, end)
    else if (!punctuation.test(last)) return end
    end--
  }
  return end
}

// Returns the start of a final character reference such as `&hl;`, which GFM excludes from an
// address. If there is none, returns `end`.
function referenceStart(text: string, start: number, end: number): number {
  let name = end - 1
  while (name > start && /[a-z0-9]/i.test(text.charAt(name - 1))) name--
  return name < end - 1 && text[name - 1] === '&' ? name : end
}

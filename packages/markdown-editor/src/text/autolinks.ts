import { isDigit, isLetter } from './characters.ts'

/** Bounds of something in a text: from `start` up to, not including, `end`. */
export interface Bounds {
  readonly start: number
  readonly end: number
}

const addressPattern = /<[a-z][a-z0-9.+-]{1,31}:[^\0-\x20\x7f<>]*>/iy
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const emailPattern = new RegExp(`<[a-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*>`, 'iy')
const barePattern = /[^\s<>[\]\\`]*/y
// After a scheme the address comes before escapes and code, as soon as its host has ended.
const schemePattern = /[^\s<>[\]\\`/?#]*(?:[/?#][^\s<>[\]]*)?/y

/** Position after the autolink to a URL at `from`, `<https://…>`; -1 when there is none. */
export function autolinkEnd(text: string, from: number): number {
  return matchEnd(addressPattern, text, from)
}

/** Position after the autolink to a mail address at `from`; -1 when there is none. */
export function emailAutolinkEnd(text: string, from: number): number {
  return matchEnd(emailPattern, text, from)
}

/**
 * The bare URL, `https://…` or `www.…`, whose first colon or dot is at `at`; null when there is none. As in the autolinks
 * extension of GFM, punctuation after it is not part of it.
 *
 * @param floor where it may begin at the earliest.
 */
export function matchBareUrl(text: string, at: number, floor: number): Bounds | null {
  const start = bareStart(text, at)
  if (start < floor || isAlphanumeric(text.charCodeAt(start - 1))) return null
  const host = text[at] === ':' ? at + 3 : at + 1
  const end = trimEnd(text, host, matchEnd(text[at] === ':' ? schemePattern : barePattern, text, host))
  return end > host ? { start, end } : null
}

function bareStart(text: string, at: number): number {
  if (text[at] === '.') return text.slice(Math.max(0, at - 3), at) === 'www' ? at - 3 : -1
  if (!text.startsWith('//', at + 1)) return -1
  const scheme = /https?$/i.exec(text.slice(Math.max(0, at - 5), at))?.[0]
  return scheme === undefined ? -1 : at - scheme.length
}

/** Leaves out what ends the sentence around an address rather than the address. */
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
    else if (last === ';') {
      let reference = end - 2
      while (reference > start && isAlphanumeric(text.charCodeAt(reference))) reference--
      if (text[reference] !== '&') return end
      end = reference + 1
    } else if (!'?!.,:*_~\'"'.includes(last)) return end
    end--
  }
  return end
}

function isAlphanumeric(code: number): boolean {
  return isLetter(code) || isDigit(code)
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}

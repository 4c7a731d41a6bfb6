import {
  Brackets,
  isEscape,
  matchDestination,
  skipWhitespace,
  titleEnd,
} from '@quillgate/markdown/grammar'
import type { Range } from './selection.ts'

/** A link with an address in parentheses: `[label](address "title")`. */
export interface LinkSpan extends Range {
  /** As it is written. */
  readonly label: string
  /** Where the address stands, without angle brackets. */
  readonly address: Range
  /** As it is written, without quotation marks; `''` for none. */
  readonly title: string
}

interface Tail extends Pick<LinkSpan, 'address' | 'title'> {
  readonly end: number
}

/** The links of a text, from left to right, in linear time. Pictures are none. */
export function* linkSpans(text: string): Generator<LinkSpan> {
  const brackets = new Brackets()
  for (let at = 0; at < text.length; at++) {
    if (isEscape(text, at)) at++
    else if (text[at] === '[') brackets.open(at, text[at - 1] === '!')
    else if (text[at] === ']') {
      const bracket = brackets.close()
      const tail = bracket === null || text[at + 1] !== '(' ? null : tailAt(text, at + 2)
      if (bracket === null || tail === null) continue
      if (!bracket.isImage) {
        brackets.forbidLinks()
        yield { start: bracket.position, label: text.slice(bracket.position + 1, at), ...tail }
      }
      at = tail.end - 1
    }
  }
}

/** What stands behind `](`. */
function tailAt(text: string, from: number): Tail | null {
  const destination = matchDestination(text, skipWhitespace(text, from))
  if (destination === null) return null
  const { start, end, after } = destination
  const space = skipWhitespace(text, after)
  const titled = space === after ? -1 : titleEnd(text, space)
  const close = titled === -1 ? space : skipWhitespace(text, titled)
  if (text[close] !== ')') return null
  return {
    address: { start, end },
    title: titled === -1 ? '' : text.slice(space + 1, titled - 1),
    end: close + 1,
  }
}

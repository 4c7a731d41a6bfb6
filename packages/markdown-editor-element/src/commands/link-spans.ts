import type { TextState } from './edit.ts'
import type { Range } from './line-grammar.ts'
import { lineEnd, lineStart } from './selection.ts'

/** A link with an address in parentheses: `[label](address "title")`. */
export interface LinkSpan extends Range {
  /** The source of the label, including escapes. */
  readonly label: string
  /** The range of the address, without angle brackets. */
  readonly address: Range
  /** The source of the title without its quotation marks; `''` if there is none. */
  readonly title: string
}

// A label may contain brackets and images, but no link. An address may contain parentheses.
const LABEL = String.raw`(?:\\.|[^\\[\]]|!\[[^[\]]*\]\([^()]*\)|\[[^[\]]*\](?!\())*`
const ADDRESS = String.raw`<([^<>\n]*)>|((?:\\.|[^\\\s()<]|\((?:\\.|[^\\\s()])*\))(?:\\.|[^\\\s()]|\((?:\\.|[^\\\s()])*\))*)`
const TITLE = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)`
const LINK = new RegExp(
  String.raw`\\.|(!?)\[(${LABEL})\]\(\s*(?:(?:${ADDRESS})(?:\s+(${TITLE}))?\s*)?\)`,
  'dgs',
)

/**
 * Returns the link or, with the mark `!`, the image that contains the selection, or null. A caret
 * at an end of an image is not in it. Ignores images inside links.
 */
export function linkAround(state: TextState, mark: '' | '!' = ''): LinkSpan | null {
  const { selectionStart, selectionEnd } = state
  const edge = mark === '!' && selectionStart === selectionEnd ? 1 : 0
  const { start: from, end: to } = paragraphRange(state)
  for (const match of state.text.slice(from, to).matchAll(LINK)) {
    const { 0: all, 1: bang, 2: label, 5: title = '', index, indices } = match
    const start = from + index
    const end = start + all.length
    if (label === undefined || bang !== mark) continue
    if (selectionStart < start + edge || selectionEnd > end - edge) continue
    const last = index + all.length - 1
    const [first, behind] = indices?.[3] ?? indices?.[4] ?? [last, last]
    const address = { start: from + first, end: from + behind }
    return { start, end, label, address, title: title.slice(1, -1) }
  }
  return null
}

// Matches a text that ends inside the address of a link or image.
const BEFORE_ADDRESS = /\]\((?:<[^<>]*|(?:[^\s()]|\([^\s()]*\))*(?:\([^\s()]*)?)$/
// The maximum number of code units that are searched for the start of a link.
const LONGEST_ADDRESS = 4000

/** Returns whether a range begins or ends in the address of a link or image. */
export function isInAddress(text: string, { start, end }: Range): boolean {
  return [start, end].some(
    (offset) =>
      isAfterOpenAddress(text, offset) && text.slice(offset, lineEnd(text, offset)).includes(')'),
  )
}

/** Returns whether the text before an offset ends in an address, which may still lack its `)`. */
export function isAfterOpenAddress(text: string, offset: number): boolean {
  const from = Math.max(lineStart(text, offset), offset - LONGEST_ADDRESS)
  return BEFORE_ADDRESS.test(text.slice(from, offset))
}

/** Returns the range of the text around the selection, from one empty line to the next. */
export function paragraphRange({ text, selectionStart, selectionEnd }: TextState): Range {
  const next = text.indexOf('\n\n', selectionEnd)
  return {
    start: Math.max(0, text.lastIndexOf('\n\n', selectionStart)),
    end: next === -1 ? text.length : next,
  }
}

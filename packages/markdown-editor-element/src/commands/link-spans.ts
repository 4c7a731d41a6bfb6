import type { Range } from './selection.ts'

/** A link with an address in parentheses: `[label](address "title")`. */
export interface LinkSpan extends Range {
  /** The source of the label, including escapes. */
  readonly label: string
  /** The position of the address, without angle brackets. */
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

/** Yields the links of a text from left to right. Images are not included. */
export function* linkSpans(text: string): Generator<LinkSpan> {
  for (const { 0: all, 1: bang, 2: label, 5: title = '', index, indices } of text.matchAll(LINK)) {
    if (label === undefined || bang === '!') continue
    const last = index + all.length - 1
    const [start, end] = indices?.[3] ?? indices?.[4] ?? [last, last]
    yield { start: index, end: last + 1, label, address: { start, end }, title: title.slice(1, -1) }
  }
}

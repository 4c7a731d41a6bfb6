import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

/** A tag in the grammar of CommonMark. */
export interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly source: string
}

/** A tag, or text with its character references decoded. */
export type Piece = Tag | string

/** Attributes: names in lower case, and values with character references decoded. */
export type AttributeList = readonly (readonly [name: string, value: string | number])[]

/** Returns true if a piece is a tag. */
export function isTag(piece: Piece): piece is Tag {
  return typeof piece === 'object'
}

/**
 * Splits an author's HTML into tags and text. Incomplete tags become text. Omits comments,
 * declarations and processing instructions. If one of them has no end, omits the rest of the text.
 *
 * @see https://spec.commonmark.org/0.31.2/#raw-html
 */
export function scanHtml(html: string): Piece[] {
  const pieces: Piece[] = []
  let text = 0
  let position = 0
  const endText = (end: number): void => {
    if (end > text) pieces.push(decodeHTML(html.slice(text, end)))
  }
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', position)) {
    const tag = tagAt(html, start)
    const end = tag === null ? endOfOther(html, start) : start + tag.source.length
    position = end === -1 ? start + 1 : end
    if (end === -1) continue
    endText(start)
    if (tag !== null) pieces.push(tag)
    text = end
  }
  endText(html.length)
  return pieces
}

/** Reads the tag at a position. If there is no tag in the grammar of CommonMark, returns null. */
export function tagAt(html: string, start: number): Tag | null {
  const end = tagEnd(html, start)
  if (end === -1) return null
  const source = html.slice(start, end)
  const [name = ''] = /[a-z][a-z0-9-]*/i.exec(source) ?? []
  return { name: name.toLowerCase(), isEnd: source[1] === '/', source }
}

/** Returns the attributes of a tag. An attribute without a value gets `''`. */
export function attributesOf({ name, source }: Tag): [name: string, value: string][] {
  const attributes: [string, string][] = []
  attributePattern.lastIndex = name.length + 1
  for (let match = attributePattern.exec(source); match; match = attributePattern.exec(source)) {
    const [, own = '', inDouble, inSingle, unquoted = ''] = match
    attributes.push([own.toLowerCase(), decodeHTMLAttribute(inDouble ?? inSingle ?? unquoted)])
  }
  return attributes
}

const endTag = /<\/[a-z][a-z0-9-]*[ \t\n\r]*>/iy
const startOfTag = /<[a-z][a-z0-9-]*/iy
const endOfTag = /[ \t\n\r]*\/?>/y
const attributePattern =
  /[ \t\n\r]+([a-z_:][\w.:-]*)(?:[ \t\n\r]*=[ \t\n\r]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\r"'=<>`]+)))?/iy

// Returns the position after the tag at `from`. If there is no tag, returns -1. Does not use a
// single regular expression, because a long tag would exceed the backtracking limit of the engine.
function tagEnd(text: string, from: number): number {
  if (text[from + 1] === '/') return matchEnd(endTag, text, from)
  let position = matchEnd(startOfTag, text, from)
  if (position === -1) return -1
  for (let next = position; next !== -1; next = matchEnd(attributePattern, text, position))
    position = next
  return matchEnd(endOfTag, text, position)
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}

const others: readonly (readonly [start: RegExp, end: string])[] = [
  [/<!--/y, '-->'],
  [/<!\[CDATA\[/y, ']]>'],
  [/<![a-z]/iy, '>'],
  [/<\?/y, '?>'],
]

// Returns the end of the comment, declaration or processing instruction at `start`. If its end is
// missing, returns the end of the text. If no such markup begins at `start`, returns -1.
function endOfOther(html: string, start: number): number {
  for (const [opener, closer] of others) {
    opener.lastIndex = start
    if (!opener.test(html)) continue
    // `<!-->` and `<!--->` are complete comments.
    const end = html.indexOf(closer, closer === '-->' ? start + 2 : start)
    return end === -1 ? html.length : end + closer.length
  }
  return -1
}

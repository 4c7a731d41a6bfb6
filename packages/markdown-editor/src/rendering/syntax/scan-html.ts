/** A tag that CommonMark's grammar accepts. */
export interface Tag {
  /** In lower case. */
  readonly name: string
  readonly isEnd: boolean
  readonly source: string
}

/** A tag, or text in which no `<` stands. */
export type Piece = Tag | string

// https://spec.commonmark.org/0.31.2/#open-tag and #closing-tag
const openTag = /<([a-z][a-z0-9-]*)(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/iy
const endTag = /<\/([a-z][a-z0-9-]*)\s*>/iy

/**
 * Tells whether a piece is a tag.
 */
export function isTag(piece: Piece): piece is Tag {
  return typeof piece !== 'string'
}

/**
 * Cuts a piece of an author's HTML into complete tags and text. Comments, declarations and instructions are left out,
 * with what follows them when they have no end; any other `<` becomes `&lt;`.
 */
export function scanHtml(html: string): Piece[] {
  const pieces: Piece[] = []
  let position = 0
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', position)) {
    if (start > position) pieces.push(html.slice(position, start))
    const tag = tagAt(html, start)
    if (tag !== null) {
      pieces.push(tag)
      position = start + tag.source.length
      continue
    }
    const end = endOfOther(html, start)
    if (end === start) pieces.push('&lt;')
    position = Math.max(end, start + 1)
  }
  pieces.push(html.slice(position))
  return pieces
}

function tagAt(html: string, start: number): Tag | null {
  const isEnd = html[start + 1] === '/'
  const grammar = isEnd ? endTag : openTag
  grammar.lastIndex = start
  const match = grammar.exec(html)
  return match === null ? null : { name: (match[1] ?? '').toLowerCase(), isEnd, source: match[0] }
}

const others: readonly (readonly [start: RegExp, end: string])[] = [
  [/<!--/y, '-->'],
  [/<!\[CDATA\[/y, ']]>'],
  [/<![a-z]/iy, '>'],
  [/<\?/y, '?>'],
]

// Where a comment, declaration or instruction ends; `start` when there is none.
function endOfOther(html: string, start: number): number {
  for (const [opener, closer] of others) {
    opener.lastIndex = start
    if (!opener.test(html)) continue
    // `<!-->` and `<!--->` are whole comments.
    const end = html.indexOf(closer, closer === '-->' ? start + 2 : start)
    return end === -1 ? html.length : end + closer.length
  }
  return start
}

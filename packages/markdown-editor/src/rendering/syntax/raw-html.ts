import type { MarkdownIt, Token } from 'markdown-it'
import { RawTags } from './raw-tags.ts'
import { isTag, type Piece, scanHtml } from './scan-html.ts'

/**
 * Makes each piece of an author's HTML complete in itself before it meets the rest: no tag, quote, comment or script
 * reaches from one block into the next. What is no complete tag by CommonMark's grammar becomes text; comments,
 * declarations, and scripts, styles and their like with their content vanish.
 *
 * @see https://spec.commonmark.org/0.31.2/#raw-html
 */
export function addRawHtml(parser: MarkdownIt): void {
  parser.core.ruler.push('raw_html', ({ tokens }) => {
    const tags = new RawTags()
    for (const token of tokens) {
      if (token.type === 'html_block') token.content = tags.rewrite(scanHtml(token.content)).join('')
      else if (token.type === 'inline') token.children = rewriteInline(token.children ?? [], tags)
    }
  })
}

function rewriteInline(children: Token[], tags: RawTags): Token[] {
  if (!children.some(({ type }) => type === 'html_inline')) return children
  const pieces = children.map((child): Piece => (child.type === 'html_inline' ? toPiece(child.content) : keep))
  const written = tags.rewrite(pieces)
  return children.filter((child, index) => {
    const piece = pieces[index]
    if (piece !== undefined && isTag(piece)) child.content = written[index] ?? ''
    return written[index] !== ''
  })
}

// Stands for a token that is no raw HTML: rewrite gives it back, or '' when what surrounds it is dropped.
const keep = 'keep'

// An inline token is one whole tag, or something that is left out: a comment, a declaration.
function toPiece(html: string): Piece {
  const [piece = ''] = scanHtml(html)
  return isTag(piece) ? piece : ''
}

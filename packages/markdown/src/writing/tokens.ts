import type { Token } from 'markdown-it'
import { textHolders } from '../grammar/html-elements.ts'
import { type AttributeList, type Tag, tagAt } from '../grammar/scan-html.ts'
import { dimensionsOf } from '../media-urls/media-id.ts'

/** Finds the content of scripts and similar elements, which is dropped together with the tags. */
export class DroppedContent {
  readonly #tags: readonly (Tag | null)[]
  #lastEnds: Map<string, number> | null = null

  /** @param tags - the tags of the author, and null for each piece that is not a tag */
  constructor(tags: readonly (Tag | null)[]) {
    this.#tags = tags
  }

  /**
   * Returns the index of the last piece that is dropped together with the tag at `index`. If no
   * other piece is dropped, returns `index`.
   */
  endOf(index: number): number {
    const tag = this.#tags[index]
    if (tag == null || tag.isEnd || !textHolders.has(tag.name)) return index
    this.#lastEnds ??= new Map(
      this.#tags.flatMap((each, at) => (each?.isEnd ? [[each.name, at] as const] : [])),
    )
    if ((this.#lastEnds.get(tag.name) ?? -1) < index) return index
    let end = index + 1
    while (!(this.#tags[end]?.isEnd && this.#tags[end]?.name === tag.name)) end++
    return end
  }
}

/** Returns the author's tag in an inline token. For other tokens and comments, returns null. */
export function authorTagOf({ type, content }: Token): Tag | null {
  return type === 'html_inline' ? tagAt(content, 0) : null
}

/** Returns the visible text of inline tokens, without markup, images and dropped content. */
export function textOf(tokens: readonly Token[]): string {
  let dropped: DroppedContent | null = null
  let text = ''
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token
    text += plainText(token)
    if (token.type !== 'html_inline') continue
    dropped ??= new DroppedContent(tokens.map(authorTagOf))
    index = dropped.endOf(index)
  }
  return text
}

// Returns the alternative text of an image. It includes the alternative text of inner images, and
// unchanged HTML.
function altOf(tokens: readonly Token[]): string {
  let text = ''
  for (const token of tokens) {
    if (token.type === 'html_inline') text += token.content
    else text += token.type === 'image' ? altOf(token.children ?? []) : plainText(token)
  }
  return text
}

function plainText({ type, content }: Token): string {
  if (type === 'text' || type === 'code_inline') return content
  return type === 'softbreak' || type === 'hardbreak' ? '\n' : ''
}

/** Returns the attributes of a token, with `align` instead of `style` for table cells. */
export function attributesOfToken({ type, attrs }: Token): AttributeList | null {
  if (attrs === null || (type !== 'th_open' && type !== 'td_open')) return attrs
  return attrs.map(([name, value]) =>
    name === 'style' ? ['align', String(value).replace('text-align:', '')] : [name, value],
  )
}

/**
 * Returns the attributes of an image with its alternative text. If the URL contains the size of an
 * uploaded picture, adds lazy loading and the size, which reserves space in the page.
 */
export function imageAttributes(token: Token): AttributeList {
  const alt = altOf(token.children ?? [])
  const own: AttributeList = (token.attrs ?? []).map(([name, value]) => [
    name,
    name === 'alt' ? alt : value,
  ])
  const size = token.attrGet('width') === null && dimensionsOf(String(token.attrGet('src')))
  if (!size) return own
  return [...own, ['width', size[0]], ['height', size[1]], ['loading', 'lazy']]
}

/** Returns the index of the token that closes the paragraph opened at `open`. */
export function findClose(tokens: readonly Token[], open: number): number {
  let index = open + 1
  while (index < tokens.length - 1 && tokens[index]?.type !== 'paragraph_close') index++
  return index
}

/**
 * Returns a line break if a block follows the text of a tight list item, which has no `<p>`.
 */
export function lineBreakBefore(tokens: readonly Token[], index: number): string {
  const before = tokens[index - 1]
  return tokens[index]?.block && before?.hidden === true && before.nesting === -1 ? '\n' : ''
}

/** Returns true if a line break is written after an opening tag. */
export function breaksLine(token: Token, next: Token | undefined): boolean {
  if (next === undefined) return true
  return next.type !== 'inline' && !next.hidden && !(next.nesting === -1 && next.tag === token.tag)
}

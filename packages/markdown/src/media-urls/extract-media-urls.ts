import type { MarkdownIt, Token } from 'markdown-it'
import { holdsText } from '../grammar/html-elements.ts'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'
import { attributesOf, isTag, scanHtml, type Tag } from '../grammar/scan-html.ts'
import { srcsetUrls } from '../grammar/srcset.ts'
import { createParser } from '../parser/create-parser.ts'
import { parseWhole, prepareForWhole } from '../parser/parse-whole.ts'

// The attributes with which HTML elements embed media.
const EMBEDDING: ReadonlyMap<string, readonly string[]> = new Map([
  ['audio', ['src']],
  ['iframe', ['src']],
  ['img', ['src', 'srcset']],
  ['source', ['src', 'srcset']],
  ['video', ['src', 'poster']],
])

/**
 * Creates the parser for {@link readMediaUrls}. It is the renderer's parser, but does not change
 * URLs.
 *
 * @param markdownIt - the class that `markdown-it` exports
 */
export function createMediaParser(markdownIt: MarkdownItConstructor): MarkdownIt {
  const parser = createParser({ markdownIt, embeds: [], alertTitles: undefined, plugins: [] })
  parser.normalizeLink = (url) => url
  prepareForWhole(parser, 0)
  return parser
}

/**
 * Returns the media URLs of a text: destinations of images and links, autolinks and bare addresses,
 * and the attributes with which HTML tags embed media.
 *
 * @param parser - created by {@link createMediaParser}
 */
export function readMediaUrls(text: string, parser: MarkdownIt): Set<string> {
  const urls = new Set<string>()
  const visit = (tokens: readonly Token[], isInImage: boolean): void => {
    for (const token of tokens) {
      if (token.type === 'html_block' || token.type === 'html_inline') addTags(token.content, urls)
      const url = urlOf(token, isInImage)
      if (url !== null && url !== '') urls.add(String(url))
      if (token.children !== null) visit(token.children, isInImage || token.type === 'image')
    }
  }
  visit(parseWhole(parser, text).tokens, false)
  return urls
}

/** Returns the media URLs that the three patterns of the specification find, without a parser. */
export function matchMediaUrls(text: string): Set<string> {
  const urls = new Set(
    Array.from(text.matchAll(/\]\([ \t\n]*<?([^\s()<>]+)/g), ([, url]) => url ?? ''),
  )
  addTags(text, urls)
  return urls
}

// A bare address in the text of an image stays text. A mail address is not the URL of a medium.
function urlOf(token: Token, isInImage: boolean): string | number | null {
  if (token.type === 'image') return token.attrGet('src')
  if (token.type !== 'link_open') return null
  const href = token.attrGet('href')
  const isSkipped = token.info === 'auto' && (isInImage || /^mailto:/i.test(String(href)))
  return isSkipped ? null : href
}

// Ignores tags inside elements whose content is text.
function addTags(html: string, urls: Set<string>): void {
  const pieces = scanHtml(html)
  const lastEnd = new Map<string, number>()
  pieces.forEach((piece, index) => {
    if (isTag(piece) && piece.isEnd) lastEnd.set(piece.name, index)
  })
  let within: string | null = null
  for (const [index, piece] of pieces.entries()) {
    if (!isTag(piece)) continue
    if (piece.isEnd) {
      if (piece.name === within) within = null
    } else if (within === null) {
      addAttributes(piece, urls)
      if (holdsText(piece.name) && (lastEnd.get(piece.name) ?? -1) > index) within = piece.name
    }
  }
}

// If an attribute is repeated, the first one is used.
function addAttributes(tag: Tag, urls: Set<string>): void {
  const wanted = new Set(EMBEDDING.get(tag.name))
  if (wanted.size === 0) return
  for (const [name, value] of attributesOf(tag)) {
    if (!wanted.delete(name)) continue
    const text = String(value)
    const found = name === 'srcset' ? srcsetUrls(text) : [text.trim()]
    for (const url of found) if (url !== '') urls.add(url)
  }
}

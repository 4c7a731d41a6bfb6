import type { MarkdownIt, Token } from 'markdown-it'
import { DocumentState } from '../document/document-state.ts'
import {
  createBlockEnvironment,
  definitionsOf,
  toInlineEnvironment,
} from '../document/environment.ts'
import { defaultMaxLength } from '../engine/engine.ts'
import { attributesOf, isTag, scanHtml, type Tag } from '../grammar/scan-html.ts'
import { createParser } from '../syntax/create-parser.ts'
import { DroppedContent } from '../writing/tokens.ts'
import { findMarkdownIt } from './peers.ts'

const EMBEDDING: ReadonlyMap<string, readonly string[]> = new Map([
  ['audio', ['src']],
  ['iframe', ['src']],
  ['img', ['src', 'srcset']],
  ['source', ['src', 'srcset']],
  ['video', ['src', 'poster']],
])

// Matches an image of a `srcset`: a URL without commas at its end, and then a comma or descriptors.
// The descriptors end at the next comma outside of parentheses.
// https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
const CANDIDATE = /([^ \t\n\f\r,](?:[^ \t\n\f\r]*[^ \t\n\f\r,])?)(?:,|(?:[^,(]|\([^)]*\)?)*)/g

let parser: MarkdownIt | null | undefined

/**
 * Returns all media URLs of a Markdown text: the URLs of images, links, reference links, autolinks
 * and bare addresses, and `src`, `srcset` and `poster` of HTML tags. The URLs are decoded, but not
 * checked. A malformed URL is returned unchanged.
 *
 * The text is parsed as in the renderer. If `markdown-it` is not installed, regular expressions
 * find images, links and tags, even in code. The same is true for a text that is longer than the
 * renderer's default `maxLength` (262,144 UTF-16 units).
 *
 * @param text - for null and undefined, the set is empty
 * @throws TypeError if `text` is not a string, null or undefined
 * @example extractMediaUrls('![a](/media/a.png) `![b](/media/b.png)`') // Set { '/media/a.png' }
 */
export function extractMediaUrls(text: string | null | undefined): Set<string> {
  if (text === null || text === undefined) return new Set()
  if (typeof text !== 'string') throw new TypeError(`text must be a string, not ${typeof text}`)
  if (parser === undefined) parser = createMediaParser()
  // Parsing a long hostile text takes seconds. The renderer does not parse long texts either.
  if (parser === null || text.length > defaultMaxLength) return matchMediaUrls(text)
  const urls = new Set<string>()
  addTokens(parser.parse(text, createBlockEnvironment(0)), false, urls)
  return urls
}

/** Finds media URLs without a parser. */
export function matchMediaUrls(text: string): Set<string> {
  const urls = new Set(
    Array.from(text.matchAll(/\]\([ \t\n]*<?([^\s()<>]+)/g), ([, url]) => url ?? ''),
  )
  addTags(text, urls)
  return urls
}

function createMediaParser(): MarkdownIt | null {
  const markdownIt = findMarkdownIt()
  if (markdownIt === null) return null
  const created = createParser(markdownIt)
  created.normalizeLink = (url) => url
  // Inline rules look up link references and footnotes in the document.
  created.core.ruler.after('block', 'document_state', ({ env, src }) => {
    toInlineEnvironment(new DocumentState(definitionsOf(env), src.length, 0), env)
  })
  return created
}

function addTokens(tokens: readonly Token[], isInImage: boolean, urls: Set<string>): void {
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') addTags(token.content, urls)
    const url = urlOf(token, isInImage)
    if (url !== null && url !== '') urls.add(String(url))
    addTokens(token.children ?? [], isInImage || token.type === 'image', urls)
  }
}

// Returns null for bare mail addresses. Also returns null for bare addresses in the text of an
// image, because these addresses do not become links.
function urlOf(token: Token, isInImage: boolean): string | number | null {
  if (token.type === 'image') return token.attrGet('src')
  if (token.type !== 'link_open') return null
  const href = token.attrGet('href')
  const isSkipped = token.info === 'auto' && (isInImage || /^mailto:/i.test(String(href)))
  return isSkipped ? null : href
}

// Ignores tags inside scripts and other elements whose content is not HTML.
function addTags(html: string, urls: Set<string>): void {
  const tags = scanHtml(html).filter(isTag)
  const dropped = new DroppedContent(tags)
  for (let index = 0; index < tags.length; index = dropped.endOf(index) + 1) {
    const tag = tags[index] as Tag
    if (!tag.isEnd) addAttributes(tag, urls)
  }
}

// If an attribute is repeated, uses its first value.
function addAttributes(tag: Tag, urls: Set<string>): void {
  const wanted = new Set(EMBEDDING.get(tag.name))
  if (wanted.size === 0) return
  for (const [name, value] of attributesOf(tag)) {
    if (!wanted.delete(name)) continue
    const candidates = Array.from(value.matchAll(CANDIDATE), ([, url = '']) => url)
    const found = name === 'srcset' ? candidates : [value.trim()]
    for (const url of found) if (url !== '') urls.add(url)
  }
}

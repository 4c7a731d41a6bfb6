import type { MarkdownIt } from 'markdown-it'
import { defaultMaxLength } from '../engine/engine.ts'
import {
  createMediaParser,
  matchMediaUrls,
  readMediaUrls,
} from '../media-urls/extract-media-urls.ts'
import { findMarkdownIt } from './find-markdown-it.ts'

let parser: MarkdownIt | null | undefined

/**
 * Returns all media URLs of a Markdown text: destinations of images and links, also by reference;
 * autolinks and bare addresses; `src`, `srcset` and `poster` of HTML tags. The URLs are decoded,
 * but not checked: a malformed URL is in the set unchanged. The text is parsed like by the
 * renderer. Without the optional peer `markdown-it`, and in a text that is longer than the
 * renderer's default `maxLength` (262,144 UTF-16 units), patterns find images, links and tags, also
 * in code.
 *
 * @param text - for null and undefined, the set is empty
 * @throws TypeError if it is not a string, null or undefined
 * @example extractMediaUrls('![a](/media/a.png) `![b](/media/b.png)`') // Set { '/media/a.png' }
 */
export function extractMediaUrls(text: string | null | undefined): Set<string> {
  if (text === null || text === undefined) return new Set()
  if (typeof text !== 'string') throw new TypeError(`text must be a string, not ${typeof text}`)
  if (parser === undefined) {
    const markdownIt = findMarkdownIt()
    parser = markdownIt && createMediaParser(markdownIt)
  }
  // Parsing a long hostile text takes seconds, and pages show such texts escaped.
  if (parser === null || text.length > defaultMaxLength) return matchMediaUrls(text)
  return readMediaUrls(text, parser)
}

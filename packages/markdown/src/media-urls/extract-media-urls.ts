import { findReferences } from './find-references.ts'

/**
 * All media URLs of a Markdown text: the destinations of images and links, also by reference; autolinks and bare addresses;
 * `src`, `srcset` and `poster` of raw HTML. Decoded, but neither percent-encoded nor checked: a malformed URL is in the set
 * as it is.
 *
 * @param text null and undefined give an empty set.
 * @throws TypeError when it is something else than text.
 * @example extractMediaUrls('![a](/media/a.png) `![b](/media/b.png)`') // Set { '/media/a.png' }
 */
export function extractMediaUrls(text: string | null | undefined): Set<string> {
  if (text === null || text === undefined) return new Set()
  if (typeof text !== 'string') throw new TypeError(`text must be a string, not ${typeof text}`)
  const references = findReferences(text).filter(({ kind }) => kind !== 'anchor')
  return new Set(references.map(({ url }) => url))
}

import { decodeUrl } from './decode-url.ts'
import type { Reference } from './reference.ts'
import { scanReferences } from './scan-references.ts'

/**
 * Finds where a Markdown text refers to URLs, in the order of the text: images, links, the definitions they use,
 * autolinks and bare addresses, and the media and anchors of raw HTML. The text is read as CommonMark 0.31.2 with the
 * tables, autolinks and footnotes of GitHub Flavored Markdown, so that what stands in code or comments is no reference. The time is
 * linear in the length of the text.
 *
 * @example findReferences('![a](/a\\_b.png "title")') // [{ kind: 'image', url: '/a_b.png', raw: '/a\\_b.png', start: 5, end: 14 }]
 */
export function findReferences(text: string): Reference[] {
  return scanReferences(text).map(({ kind, start, end }) => {
    const raw = text.slice(start, end)
    return { kind, url: decodeUrl(raw, kind), raw, start, end }
  })
}

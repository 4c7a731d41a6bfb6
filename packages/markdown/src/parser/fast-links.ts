import type { MarkdownIt } from 'markdown-it'

// Addresses without anything that could be encoded, decoded or parsed in more than one way.
const absolute =
  /^(?!\/\/)(?:https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*)?(?:[/#?][\w\-./~!*'();:@&=+$,#?]*)?$/
const relative = /^[\w-][\w.-]*(?:\/[\w\-./]*)?(?:#[\w-]*)?$/

/**
 * Spares plain addresses the way through a URL parser, from which they would come back as they were.
 */
export function useFastLinks(parser: MarkdownIt): void {
  const normalize = parser.normalizeLink.bind(parser)
  parser.normalizeLink = (url) => (absolute.test(url) || relative.test(url) ? url : normalize(url))
}

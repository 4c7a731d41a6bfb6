import { trustHtml } from '../../dom/trusted-types.ts'
import { type HtmlTree, hideStyles, readTree, withinBody } from './html-tree.ts'
import { isNestedTooDeep } from './nesting.ts'

// Beyond this the plain flavour is pasted; pictures inside do not count.
const MAX_LENGTH = 1_000_000
const EMBEDDED = /data:[a-z]+\/[\w.+-]+;base64,[\w+/=%\s]+/gi

/** Parses HTML into a document of its own, in which no script runs and nothing is loaded. */
export function parseHtml(html: string): HtmlTree {
  return readTree(
    new DOMParser().parseFromString(trustHtml(withinBody(hideStyles(html))), 'text/html'),
  )
}

/**
 * The HTML of a clipboard without pictures in it, and without what Windows puts before it where a browser leaves that.
 *
 * @returns null when it is too long, or nested so deep that the browser would stand still
 */
export function cleanHtml(html: string): string | null {
  const start = html.startsWith('Version:') ? html.slice(0, 1000).search(/<(?:!|html|body)/i) : 0
  const clean = html.slice(Math.max(0, start)).replace(EMBEDDED, 'data:,')
  return clean.length > MAX_LENGTH || isNestedTooDeep(clean) ? null : clean
}

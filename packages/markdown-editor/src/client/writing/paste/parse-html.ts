import { trustHtml } from '../../dom/trusted-types.ts'
import { type HtmlTree, readTree } from './html-tree.ts'

// Beyond this the plain flavour is pasted; pictures inside do not count.
const MAX_LENGTH = 2_000_000
const EMBEDDED = /data:[a-z]+\/[\w.+-]+;base64,[\w+/=%\s]+/gi

/**
 * Parses the HTML of a clipboard: into a document of its own, in which no script runs and nothing is loaded.
 *
 * @returns null when it is too long
 */
export function parseHtml(html: string): HtmlTree | null {
  const short = withoutHeader(html).replace(EMBEDDED, 'data:,')
  if (short.length > MAX_LENGTH) return null
  return readTree(new DOMParser().parseFromString(trustHtml(short), 'text/html'))
}

/** Without what Windows puts before the HTML, where a browser leaves it. */
function withoutHeader(html: string): string {
  if (!html.startsWith('Version:')) return html
  const start = html.slice(0, 1000).search(/<(?:!|html|body)/i)
  return start === -1 ? html : html.slice(start)
}

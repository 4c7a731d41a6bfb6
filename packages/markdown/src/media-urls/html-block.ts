import { skipSpaces } from '../grammar/characters.ts'
import { tagEnd } from '../grammar/html-tag.ts'

/** How an HTML block ends: with the line that has this in it, or (`blank`) before the next blank line. */
export type HtmlBlockEnd = RegExp | 'blank'

// The start conditions 1 to 6 of CommonMark 0.31.2, section 4.6.
const rawText = /^<(?:script|pre|style|textarea)(?:[ \t>]|$)/i
const block = new RegExp(
  `^</?(?:${[
    'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt',
    'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu',
    'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr',
    'track|ul',
  ].join('|')})(?:[ \t>]|/>|$)`,
  'i',
)
const starts: readonly (readonly [start: RegExp, end: HtmlBlockEnd])[] = [
  [rawText, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Za-z]/, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [block, 'blank'],
]

/**
 * How the HTML block that begins at `from` ends; null when none begins there.
 *
 * @param canBeAnyTag whether a line that is nothing but a tag begins one, which it does not within a paragraph.
 */
export function matchHtmlBlock(
  text: string,
  from: number,
  end: number,
  canBeAnyTag: boolean,
): HtmlBlockEnd | null {
  const line = text.slice(from, end)
  const found = starts.find(([start]) => start.test(line))
  if (found !== undefined) return found[1]
  if (!canBeAnyTag) return null
  const after = tagEnd(line, 0)
  return after !== -1 && skipSpaces(line, after) === line.length ? 'blank' : null
}

/** Whether the line is the last of its block. */
export function endsHtmlBlock(
  text: string,
  from: number,
  end: number,
  ending: HtmlBlockEnd,
): boolean {
  return ending !== 'blank' && ending.test(text.slice(from, end))
}

import { escapeHtml } from '../grammar/escape-html.ts'

// The HTML has at most `freeGrowth` UTF-16 units, plus `maxGrowth` units for each unit of the text.
// Other limits usually stop the output earlier, at about 30 times the text, plus 2 MB for tables.
const maxGrowth = 64
const freeGrowth = 4 * 1024 * 1024

// The maximum string length that all JavaScript engines support.
const maxString = 2 ** 29 - 24

// A text of this length is shorter than `maxString` after escaping.
const maxEscaped = 64 * 1024 * 1024

/** Replaces line breaks with line feeds, and NUL and lone surrogates with U+FFFD. */
export function normalizeSource(markdown: string): string {
  const text = replaceBroken(markdown)
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** Replaces NUL and lone surrogates with U+FFFD. */
export function replaceBroken(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Escapes a normalized text and keeps its line breaks. Cuts the text after 64 Mi UTF-16 units. */
export function escapeLines(source: string): string {
  const shown =
    source.length > maxEscaped ? `${source.slice(0, maxEscaped).toWellFormed()}…` : source
  return escapeHtml(shown).replaceAll("'", '&#39;').replaceAll('\n', '<br>\n')
}

/** Returns the maximum length of the HTML of a text, in UTF-16 units. */
export function maxSizeOf(source: string): number {
  return Math.min(freeGrowth + maxGrowth * source.length, maxString)
}

/** Returns `markdown` if it is a string. Otherwise, throws a `TypeError` that names the method. */
export function checkText(method: string, markdown: unknown): string {
  if (typeof markdown === 'string') return markdown
  throw new TypeError(
    `${method}: "markdown" must be a string, not ${markdown === null ? 'null' : typeof markdown}.`,
  )
}

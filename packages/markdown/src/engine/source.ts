import { escapeHtml } from '../grammar/escape-html.ts'

// A last limit, above everything that the parser's limits allow (about 30 times the text, and 2 MB
// of tables).
const maxGrowth = 64
const freeGrowth = 4 * 1024 * 1024

// Every JavaScript engine supports strings of this length.
const maxString = 2 ** 29 - 24

// After escaping, a text of this length is still shorter than `maxString`.
const maxEscaped = 64 * 1024 * 1024

/** Normalizes a text as CommonMark requires: lines end with line feeds, no NUL or lone surrogate. */
export function normalizeSource(markdown: string): string {
  return replaceBroken(markdown).replace(/\r\n?/g, '\n')
}

/** Replaces NUL and lone surrogates with U+FFFD. */
export function replaceBroken(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/**
 * Escapes a text and keeps its line breaks. A text of more than 64 Mi units is truncated.
 *
 * @param source - normalized
 */
export function escapeLines(source: string): string {
  const shown =
    source.length > maxEscaped ? `${source.slice(0, maxEscaped).toWellFormed()}…` : source
  return escapeHtml(shown).replaceAll("'", '&#39;').replaceAll('\n', '<br>\n')
}

/** Returns how long the HTML of a text may be, in UTF-16 units. */
export function maxSizeOf(source: string): number {
  return Math.min(freeGrowth + maxGrowth * source.length, maxString)
}

/**
 * Returns the argument of a method if it is a string.
 *
 * @throws TypeError otherwise
 */
export function checkText(method: string, markdown: unknown): string {
  if (typeof markdown === 'string') return markdown
  throw new TypeError(
    `${method}: "markdown" must be a string, not ${markdown === null ? 'null' : typeof markdown}.`,
  )
}

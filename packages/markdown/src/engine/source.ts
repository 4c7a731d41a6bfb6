import { escapeHtml } from '../grammar/escape-html.ts'

// The HTML may have `freeGrowth` UTF-16 units, plus `maxGrowth` units for each unit of the text.
// This is a safeguard: the parser's limits allow only about 30 times the text, and 2 MB of tables.
const maxGrowth = 64
const freeGrowth = 4 * 1024 * 1024

// Every JavaScript engine supports strings of this length.
const maxString = 2 ** 29 - 24

// After escaping, a text of this length is still shorter than `maxString`.
const maxEscaped = 64 * 1024 * 1024

/** Normalizes line breaks to line feeds, and NUL and lone surrogates to U+FFFD. */
export function normalizeSource(markdown: string): string {
  return replaceBroken(markdown).replace(/\r\n?/g, '\n')
}

/** Replaces NUL and lone surrogates with U+FFFD. */
export function replaceBroken(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Escapes a normalized text, at most 64 Mi UTF-16 units of it, and keeps its line breaks. */
export function escapeLines(source: string): string {
  const shown =
    source.length > maxEscaped ? `${source.slice(0, maxEscaped).toWellFormed()}…` : source
  return escapeHtml(shown).replaceAll("'", '&#39;').replaceAll('\n', '<br>\n')
}

/** Returns the maximum length of the HTML of a text, in UTF-16 units. */
export function maxSizeOf(source: string): number {
  return Math.min(freeGrowth + maxGrowth * source.length, maxString)
}

/** Returns the argument of a method if it is a string. */
export function checkText(method: string, markdown: unknown): string {
  if (typeof markdown === 'string') return markdown
  throw new TypeError(
    `${method}: "markdown" must be a string, not ${markdown === null ? 'null' : typeof markdown}.`,
  )
}

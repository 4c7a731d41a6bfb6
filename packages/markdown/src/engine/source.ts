import { escapeHtml } from '../grammar/escape-html.ts'

// A last net, above all that the parser's own limits let through (about 30 times the text; tables add up to 2 MB).
const maxGrowth = 64
const freeGrowth = 4 * 1024 * 1024

// The longest string of every engine.
const maxString = 2 ** 29 - 24

// Escaped, a text of this length is still shorter than that.
const maxEscaped = 64 * 1024 * 1024

/**
 * Prepares a text as CommonMark asks for: line feeds end lines, NUL becomes U+FFFD; so do lone surrogates.
 */
export function normalizeSource(markdown: string): string {
  const text = replaceBroken(markdown)
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** Puts U+FFFD in the place of NUL and of lone surrogates. */
export function replaceBroken(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed
}

/**
 * Shows a text as it is, with its line breaks kept. Beyond 64 Mi units the rest is cut.
 *
 * @param source - normalized
 */
export function escapeLines(source: string): string {
  const shown =
    source.length > maxEscaped ? `${source.slice(0, maxEscaped).toWellFormed()}…` : source
  return escapeHtml(shown).replaceAll("'", '&#39;').replaceAll('\n', '<br>\n')
}

/** How long the HTML of a text may become, in UTF-16 units. */
export function maxSizeOf(source: string): number {
  return Math.min(freeGrowth + maxGrowth * source.length, maxString)
}

/**
 * Gives back a text.
 *
 * @param method - that was called with it
 * @throws TypeError when it is not a string
 */
export function checkText(method: string, markdown: unknown): string {
  if (typeof markdown === 'string') return markdown
  throw new TypeError(
    `${method}: "markdown" must be a string, not ${markdown === null ? 'null' : typeof markdown}.`,
  )
}

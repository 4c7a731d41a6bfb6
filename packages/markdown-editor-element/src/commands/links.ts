import { escapeHtml } from '@quillgate/markdown/grammar'
import { containerOf, headingMarkOf, listMarkOf } from './line-grammar.ts'

const LABEL = /^(?:\\.|[^\\[\]]|\[(?:\\.|[^\\[\]])*\])*$/s
/** Matches a text that consists only of an address. */
export const URL_LIKE: RegExp = /^(?:https?:\/\/|mailto:)\S+$/i

/** Writes an `<iframe>` that the renderer may show as a player. */
export function writeFrame(attributes: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(attributes).map(
    ([name, value = '']) => `${name}="${escapeHtml(value)}"`,
  )
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`
}

/** Escapes brackets and a final backslash, if they could move the end of a label. */
export function escapeBrackets(text: string): string {
  if (LABEL.test(text)) return text
  return text.replace(/\\.|[[\]\\]/gs, (found) => (found.length === 2 ? found : `\\${found}`))
}

/** Undoes {@link escapeBrackets}. */
export function unescapeBrackets(label: string): string {
  const text = label.replace(/\\([[\]]|\\$)/g, '$1')
  return escapeBrackets(text) === label ? text : label
}

// Balanced, not nested parentheses. In any other address, all parentheses are encoded.
const BALANCED = /^[^()]*(?:\([^()]*\)[^()]*)*$/

/** Encodes the characters that Markdown would not read as part of an address. */
export function writeAddress(address: string): string {
  const written = keepEntities(address.replace(/[\s<>\\|]/g, encodeURIComponent))
  return BALANCED.test(written)
    ? written
    : written.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))
}

/** Escapes character references such as `&copy;`, so that they are shown literally. */
export function keepEntities(text: string): string {
  return text.replace(/&(?=#?\w{1,32};)/g, '&amp;')
}

/** Returns the lines before the next blank line, list item or heading, where a link must end. */
export function firstParagraph(text: string): string {
  const lines = text.split('\n')
  const next = lines.findIndex((line, index) => {
    const content = line.slice(containerOf(line).length)
    const begins = content === '' || listMarkOf(content) !== '' || headingMarkOf(content) !== ''
    return begins && index > 0
  })
  return next === -1 ? text : lines.slice(0, next).join('\n')
}

// What opens a block of code, wherever it stands, and the first word behind it.
const OPENING = /(?<!`)`{3,}[^\S\r\n]*([^\s`]+)|(?<!~)~{3,}[^\S\r\n]*(\S+)/g

/**
 * Finds the words that may name the language of a code block: more than there are, but none is missing.
 *
 * @returns the words as they are written, with their escapes and entities
 * @see https://spec.commonmark.org/0.31.2/#info-string
 */
export function findCodeLanguages(markdown: string): Set<string> {
  const words = new Set<string>()
  for (const [, afterBackticks, afterTildes = ''] of markdown.matchAll(OPENING))
    words.add(afterBackticks ?? afterTildes)
  return words
}

import { escapeHtml } from '../grammar/escape-html.ts'

// Matches a class of highlight.js, also with subclasses (`hljs-title class_ inherited__`).
const SCOPE = /^hljs-[a-z_-]+(?: [a-z]+_+)*$/
// Matches the class of a span around code in another language. The tags of this span are removed.
const LANGUAGE = /^language-[\w-]+$/
const TAG = /<span class="([^"<>&]*)">|<\/span>/g

/** The maximum depth of nested spans. Ordinary code needs fewer than ten. */
export const maxOpenSpans = 32

/**
 * Checks and normalizes the output of highlight.js. The output must be the escaped code in balanced
 * `<span class="hljs-…">` elements. For any other output, returns null.
 */
export function cleanMarkup(html: string, code: string): string | null {
  const open: boolean[] = [] // For each open span, true if its tags are kept.
  let markup = ''
  let text = ''
  let end = 0
  for (const { 0: tag, 1: scope, index } of html.matchAll(TAG)) {
    const piece = html.slice(end, index)
    const kept = scope === undefined ? open.pop() : SCOPE.test(scope)
    if (kept === undefined) return null
    if (scope !== undefined) {
      if (open.length === maxOpenSpans || !(kept || LANGUAGE.test(scope))) return null
      open.push(kept)
    }
    text += piece
    markup += kept ? piece + tag : piece
    end = index + tag.length
  }
  const rest = html.slice(end)
  const isRight = open.length === 0 && withPlainApostrophes(text + rest) === escapeHtml(code)
  return isRight ? withPlainApostrophes(markup + rest) : null
}

// Decodes apostrophes. They need no escape, because attributes have double quotes.
function withPlainApostrophes(html: string): string {
  return html.replaceAll('&#x27;', "'")
}

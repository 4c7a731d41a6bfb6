import { escapeHtml } from '../grammar/escape-html.ts'

// A class of highlight.js and more specific ones (`hljs-title class_ inherited__`).
const SCOPE = /^hljs-[a-z_-]+(?: [a-z]+_+)*$/
// A span around code in another language. Its tags are removed.
const LANGUAGE = /^language-[\w-]+$/
const TAG = /<span class="([^"<>&]*)">|<\/span>/g

/** Ordinary code has fewer than ten nested spans. With thousands, the stack may overflow. */
export const maxOpenSpans = 32

/**
 * Checks and normalizes the output of highlight.js, which must show exactly the code, escaped, in
 * balanced `<span class="hljs-…">` elements. Returns null for anything else.
 */
export function cleanMarkup(html: string, code: string): string | null {
  const open: boolean[] = [] // For each open span, whether it is kept.
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

// Apostrophes need no escape, because attributes are in double quotes.
function withPlainApostrophes(html: string): string {
  return html.replaceAll('&#x27;', "'")
}

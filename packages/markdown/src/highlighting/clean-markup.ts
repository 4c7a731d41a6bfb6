// A class of highlight.js and the finer ones that may follow it (`hljs-title class_ inherited__`).
const SCOPE = /^hljs-[a-z_-]+(?: [a-z]+_+)*$/
// What stands around a part in another language has a class too, which says nothing about colours.
const LANGUAGE = /^language-[\w-]+$/
const TAG = /<span class="([^"<>&]*)">|<\/span>/g

/**
 * How many spans may be open at a place of highlighted code. Ordinary code has less than ten. With thousands
 * highlight.js may or may not run out of stack; so there is one answer.
 */
export const maxOpenSpans = 32

/**
 * Checks what highlight.js made of a code and gives it in one form: the code, with `&`, `<`, `>` and `"` as named
 * references and nothing else changed, between balanced `<span class="hljs-…">` and `</span>`.
 *
 * @param html - what is not trusted
 * @param code - what it must show
 * @returns null when it is anything else, or the spans are too deep
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
  const isRight = open.length === 0 && withPlainApostrophes(text + rest) === escapeCode(code)
  return isRight ? withPlainApostrophes(markup + rest) : null
}

function escapeCode(code: string): string {
  return code
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

// An apostrophe needs no escape where quoted attributes have quotation marks.
function withPlainApostrophes(html: string): string {
  return html.replaceAll('&#x27;', "'")
}

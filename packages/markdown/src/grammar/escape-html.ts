const special = /[&<>"]/
const ampersand = /&/g
const less = /</g
const greater = />/g
const quote = /"/g

/** Escapes a text for use as element content and in attributes with double quotes. */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text
  return text
    .replace(ampersand, '&amp;')
    .replace(less, '&lt;')
    .replace(greater, '&gt;')
    .replace(quote, '&quot;')
}

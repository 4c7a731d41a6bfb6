const special = /[&<>"]/
const ampersand = /&/g
const less = /</g
const greater = />/g
const quote = /"/g

/**
 * Makes a text safe as element content and inside attributes in double quotes.
 *
 * @param text - any string
 */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text
  return text
    .replace(ampersand, '&amp;')
    .replace(less, '&lt;')
    .replace(greater, '&gt;')
    .replace(quote, '&quot;')
}

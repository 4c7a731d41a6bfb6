const maxLength = 80
// Ids of footnotes, and names that become one if a number is appended. Headings of these names get
// another id.
const footnoteName = /^fn(?:ref)?(?:-\d|$)/
const ascii = /^[\w\s-]*$/

/**
 * Returns the id of a heading, derived from its text as on GitHub: letters and digits of any script
 * in lower case, hyphens for spaces. The result may be `''`.
 */
export function toSlug(text: string): string {
  const slug = plainSlug(text)
  return footnoteName.test(slug) ? `heading-${slug}` : slug
}

/** Returns the id of a footnote. */
export function footnoteId(number: number): string {
  return `fn-${number}`
}

/**
 * Returns the id of a reference to a footnote. The footnote links back to it.
 *
 * @param number - the number of the footnote
 * @param count - 1 for the first reference to this footnote, 2 for the second
 */
export function referenceId(number: number, count: number): string {
  return `fnref-${number}${count === 1 ? '' : `-${count}`}`
}

function plainSlug(text: string): string {
  const start = text.slice(0, 10 * maxLength)
  if (ascii.test(start)) return start.trim().toLowerCase().replace(/\s/g, '-').slice(0, maxLength)
  const slug = start
    .normalize()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  return [...slug].slice(0, maxLength).join('')
}

const maxLength = 80
// Matches slugs that could equal the id of a footnote or of a reference, also with a number added.
const footnoteName = /^fn(?:ref)?(?:-\d|$)/
const ascii = /^[\w\s-]*$/

/** Returns the slug of a heading as on GitHub: in lower case, and with hyphens for white space. */
export function toSlug(text: string): string {
  const slug = plainSlug(text)
  return footnoteName.test(slug) ? `heading-${slug}` : slug
}

/** Returns the id of a footnote. */
export function footnoteId(number: number): string {
  return `fn-${number}`
}

/** Returns the id of a reference to a footnote. `count` is 1 for the first reference. */
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

const maxLength = 80
// Ids of footnotes, and what would become one when a number follows: a heading of that name gets another one.
const footnoteName = /^fn(?:ref)?(?:-\d|$)/
const ascii = /^[\w\s-]*$/

/**
 * Makes the name of a heading's id from its text, as GitHub does: letters and digits of any script in lower case,
 * hyphens for spaces.
 *
 * @returns '' when nothing is left
 */
export function toSlug(text: string): string {
  const slug = plainSlug(text)
  return footnoteName.test(slug) ? `heading-${slug}` : slug
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

import type { MarkdownIt, Token } from 'markdown-it'

const maxLength = 80

/**
 * Gives each heading an id made from its text, as GitHub does: letters and digits of any script in lower case, hyphens
 * for spaces, a number after the second of the same name.
 *
 * @param idPrefix - what each id begins with
 */
export function addHeadingIds(parser: MarkdownIt, idPrefix: string): void {
  parser.core.ruler.push('heading_ids', ({ tokens }) => {
    const used = new Map<string, number>()
    tokens.forEach((token, index) => {
      if (token.type !== 'heading_open') return
      const slug = toSlug(toText(tokens[index + 1]?.children ?? []))
      if (slug !== '') token.attrSet('id', idPrefix + unique(slug, used))
    })
  })
}

function toText(tokens: readonly Token[]): string {
  return tokens.map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : '')).join('')
}

function toSlug(text: string): string {
  const words = text
    .slice(0, 10 * maxLength)
    .normalize()
    .toLowerCase()
  const slug = words
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  return [...slug].slice(0, maxLength).join('')
}

function unique(slug: string, used: Map<string, number>): string {
  let candidate = slug
  let count = used.get(slug) ?? 0
  while (used.has(candidate)) candidate = `${slug}-${++count}`
  used.set(slug, count)
  if (candidate !== slug) used.set(candidate, 0)
  return candidate
}

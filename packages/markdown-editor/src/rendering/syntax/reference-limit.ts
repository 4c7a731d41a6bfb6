import type { MarkdownIt } from 'markdown-it'

interface Definition {
  readonly href: string
  readonly title: string
}

const minBudget = 100_000

/**
 * Bounds what link definitions add, as cmark does: `[a]` repeats the whole URL and title of its definition, so that a
 * small text could become a huge one. All uses together may add as many characters as the text has, and always
 * 100,000; after that a reference stays text.
 *
 * @see https://github.com/commonmark/cmark/blob/0.31.1/src/map.c cmark_map_lookup
 */
export function limitReferences(parser: MarkdownIt): void {
  parser.core.ruler.after('block', 'reference_limit', ({ env, src }) => {
    const definitions = env.references as Record<string, Definition> | undefined
    if (definitions === undefined) return
    let left = Math.max(minBudget, src.length)
    env.references = new Proxy(definitions, {
      get: (_, label) => {
        const definition = typeof label === 'string' ? definitions[label] : undefined
        const size = definition === undefined ? 0 : definition.href.length + definition.title.length
        if (size > left) return undefined
        left -= size
        return definition
      },
    })
  })
}

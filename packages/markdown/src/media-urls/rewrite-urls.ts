import { scanReferences } from './scan-references.ts'

/**
 * Replaces URLs where a Markdown text refers to them, and nowhere else: neither in code, nor where one is the beginning of
 * another.
 *
 * @param replacements from a URL, exactly as the text spells it, to what takes its place, as it is.
 * @example rewriteUrls('![a](/t/a.png) `/t/a.png`', { '/t/a.png': '/u/a.png' }) // '![a](/u/a.png) `/t/a.png`'
 */
export function rewriteUrls(
  text: string,
  replacements: ReadonlyMap<string, string> | Readonly<Record<string, string>>,
): string {
  let rewritten = ''
  let copied = 0
  for (const { start, end, replacement } of findRewrites(text, replacements)) {
    rewritten += text.slice(copied, start) + replacement
    copied = end
  }
  return rewritten + text.slice(copied)
}

/** What takes the place of `[start, end)` in a text. */
export interface Rewrite {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** What {@link rewriteUrls} changes in a text, in its order. */
export function findRewrites(
  text: string,
  replacements: ReadonlyMap<string, string> | Readonly<Record<string, string>>,
): Rewrite[] {
  const map = replacements instanceof Map ? replacements : new Map(Object.entries(replacements))
  if (map.size === 0) return []
  return scanReferences(text).flatMap(({ start, end }) => {
    const replacement = map.get(text.slice(start, end))
    return replacement === undefined ? [] : [{ start, end, replacement }]
  })
}

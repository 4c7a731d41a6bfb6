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
  const map = replacements instanceof Map ? replacements : new Map(Object.entries(replacements))
  if (map.size === 0) return text
  let rewritten = ''
  let copied = 0
  for (const { start, end } of scanReferences(text)) {
    const replacement = map.get(text.slice(start, end))
    if (replacement === undefined) continue
    rewritten += text.slice(copied, start) + replacement
    copied = end
  }
  return rewritten + text.slice(copied)
}

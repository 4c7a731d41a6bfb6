import { parseBlocks } from './blocks.ts'
import type { Definition } from './definitions.ts'
import { scanHtml } from './html-content.ts'
import { scanInlines } from './inlines.ts'
import type { OnReference, ReferencePosition } from './reference.ts'
import type { Content } from './source-lines.ts'

/**
 * Finds where a Markdown text refers to URLs, without decoding them: this is all that replacing them takes. The result is
 * in the order of the text and nothing overlaps. The time is linear in the length of the text, whatever it holds.
 */
export function scanReferences(text: string): ReferencePosition[] {
  const found: ReferencePosition[] = []
  const used = new Set<Definition>()
  const inSource = ({ toSource }: Content): OnReference => {
    return (kind, start, end) =>
      void found.push({ kind, start: toSource(start), end: toSource(end - 1) + 1 })
  }
  const blocks = parseBlocks(text)
  for (const content of blocks.inlines)
    scanInlines(content.text, blocks, inSource(content), (one) => used.add(one))
  for (const content of blocks.html) scanHtml(content.text, inSource(content))
  for (const { start, end } of used) if (end > start) found.push({ kind: 'definition', start, end })
  return found.sort((one, other) => one.start - other.start)
}

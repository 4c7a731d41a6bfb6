import { defaultPolicy } from '../../src/index.ts'
import { applyPolicy } from './apply-policy.ts'
import { parse } from './html-tree.ts'
import { writeTree } from './write-tree.ts'

/**
 * Normalizes HTML with {@link writeTree}, so that equivalent HTML becomes equal text. Removes the
 * line break at the end of an example, which is not part of its HTML.
 */
export function normalize(html: string): string {
  return writeTree(parse(html.trim()))
}

export function applyToExpected(html: string): string {
  const tree = parse(html.replace(instructions, '').trim())
  applyPolicy(tree, defaultPolicy)
  return writeTree(tree)
}

// Processing instructions and CDATA sections. In CommonMark, they end at `?>` and `]]>`. In
// browsers, they end at the first `>`. Text never matches, because its `<` is escaped.
const instructions = /<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>/g

import { defaultPolicy } from '../../src/index.ts'
import { applyPolicy } from './apply-policy.ts'
import { parse } from './html-tree.ts'
import { writeTree } from './write-tree.ts'

/**
 * Writes HTML so that two texts that are the same to a browser are equal: see {@link writeTree}. The line break at the
 * end of each example is no part of its HTML.
 */
export function normalize(html: string): string {
  return writeTree(parse(html.trim()))
}

/**
 * Writes what a specification expects in the same way, after the renderer's policy.
 */
export function applyToExpected(html: string): string {
  const tree = parse(html.replace(instructions, '').trim())
  applyPolicy(tree, defaultPolicy)
  return writeTree(tree)
}

// CommonMark ends these at `?>` and `]]>`, a browser at the first `>`. An author's text can't look like this: its `<`
// is escaped in the expected HTML.
const instructions = /<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>/g

import type { MarkdownIt, StateBlock } from 'markdown-it'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'

/** A block rule of markdown-it. */
export type BlockRule = (
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
) => boolean

/**
 * Returns a block rule of markdown-it. markdown-it does not export its rules, so this takes the rule from a parser in
 * which no other rule is enabled.
 *
 * @param markdownIt - the class of the parser
 * @throws TypeError when markdown-it has no rule of that name
 */
export function stockBlockRule(markdownIt: MarkdownItConstructor, name: string): BlockRule {
  const { ruler } = (new markdownIt() as MarkdownIt).block
  ruler.enableOnly([name])
  const [rule] = ruler.getRules('')
  if (rule === undefined) throw new TypeError(`markdown-it has no rule "${name}".`)
  return rule
}

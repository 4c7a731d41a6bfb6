import type { BlockContent, Nodes, PhrasingContent } from 'mdast'
import type { HtmlTree } from './html-tree.ts'
import { readBlocks } from './read-blocks.ts'
import { ROOT, readStyleSheet, type Source } from './styles.ts'
import { writeMarkdown } from './write.ts'

// The maximum total length of all addresses. A link around several paragraphs becomes one link per
// paragraph, which repeats the address.
const MAX_ADDRESSES = 500_000

/** The options of {@link htmlToMarkdown}. */
export interface ConvertOptions {
  /** The origin of the page, which is removed from addresses. @default none */
  readonly origin?: string
  /** Whether the text has link reference definitions, so `[any]` could be a link. @default false */
  readonly labels?: boolean
  /** Whether the Markdown is inserted into a table cell. @default false */
  readonly cell?: boolean
}

/** The result of {@link htmlToMarkdown}. */
export interface Converted {
  /** The Markdown, or `''` if the HTML has no content or its addresses are too long. */
  readonly markdown: string
  /** True if the Markdown can be inserted into a line. */
  readonly inline: boolean
  /** True if the HTML contains formatting that the plain text lacks. */
  readonly rich: boolean
}

/** Converts pasted HTML to Markdown that renders the same. */
export function htmlToMarkdown(tree: HtmlTree, options: ConvertOptions = {}): Converted {
  const { origin = '', labels = false, cell = false } = options
  const source: Source = {
    sheet: readStyleSheet(tree.css),
    origin,
    read: (nodes, around) => readBlocks(nodes, { ...around, depth: around.depth + 1 }, source),
  }
  const blocks = readBlocks([tree.root], ROOT, source)
  const [first] = blocks
  const paragraph = blocks.length === 1 && first?.type === 'paragraph' ? first : null
  const content = cell && paragraph ? [{ ...paragraph, type: 'tableCell' as const }] : blocks
  const isTooLong = lengthOfAddresses(content) > MAX_ADDRESSES
  const markdown = isTooLong ? '' : writeMarkdown(content, labels)
  return { markdown, inline: blocks.length === 0 || paragraph !== null, rich: !isPlain(blocks) }
}

function lengthOfAddresses(nodes: readonly Nodes[]): number {
  let length = 0
  for (const node of nodes) {
    if ('url' in node) length += node.url.length
    if ('children' in node) length += lengthOfAddresses(node.children)
  }
  return length
}

/** Returns whether plain text would be equivalent: only unformatted lines, or only code. */
function isPlain(blocks: readonly BlockContent[]): boolean {
  const [first] = blocks
  if (blocks.length === 1 && first?.type === 'code')
    return first.data?.verbatim || (!first.lang && !first.value.includes('\n'))
  const isCode = ({ type }: PhrasingContent) => type === 'break' || type === 'inlineCode'
  if (blocks.length === 1 && first?.type === 'paragraph' && first.children.every(isCode))
    return true
  return blocks.every((block) => block.type === 'paragraph' && block.children.every(isBare))
}

function isBare(node: PhrasingContent): boolean {
  if (node.type !== 'link') return node.type === 'break' || node.type === 'text'
  const [only, next] = node.children
  return next === undefined && only?.type === 'text' && only.value === node.url
}

import { type Block, MARKS, ROOT, type Run, type Source } from './blocks.ts'
import type { HtmlTree } from './html-tree.ts'
import { readBlocks } from './read-blocks.ts'
import { readStyleSheet } from './styles.ts'
import { writeBlocks } from './write-blocks.ts'
import { writeInlines } from './write-inlines.ts'

/** The options of {@link htmlToMarkdown}. */
export interface ConvertOptions {
  /** The origin of the page. It is removed from addresses. @default none */
  readonly origin?: string
  /** Whether the text around defines labels, so that `[any]` may be a link. @default false */
  readonly labels?: boolean
  /** Whether the markdown goes into a cell of a table. @default false */
  readonly cell?: boolean
}

/** Pasted HTML in markdown. */
export interface Converted {
  readonly markdown: string
  /** True if it can be inserted within a line. */
  readonly inline: boolean
  /** True if the HTML contains more than its plain text. */
  readonly rich: boolean
}

/** Writes markdown that shows the same as pasted HTML. */
export function htmlToMarkdown(tree: HtmlTree, options: ConvertOptions = {}): Converted {
  const { origin = '', labels = false, cell = false } = options
  const source: Source = {
    sheet: readStyleSheet(tree.css),
    origin,
    read: (nodes, inherited) => readBlocks(nodes, inherited, source),
  }
  const blocks = source.read([tree.root], ROOT)
  const [only] = blocks
  const inline = blocks.length <= 1 && (only === undefined || only.kind === 'paragraph')
  const rich = !isPlain(blocks)
  if (inline && cell && only?.kind === 'paragraph') {
    return { markdown: writeInlines(only.runs, { kind: 'cell', labels }), inline, rich }
  }
  return { markdown: writeBlocks(blocks, { labels }), inline, rich }
}

/** True if plain text is equivalent: lines without marks, or one piece of code. */
function isPlain(blocks: readonly Block[]): boolean {
  const [only, next] = blocks
  if (only === undefined) return true
  if (next === undefined && only.kind === 'code') {
    return only.verbatim || (only.language === '' && !only.text.includes('\n'))
  }
  if (next === undefined && only.kind === 'paragraph' && only.runs.every(isCode)) return true
  return blocks.every((block) => block.kind === 'paragraph' && block.runs.every(isBare))
}

function isCode({ kind, marks, link }: Run): boolean {
  return kind === 'break' || (kind === 'text' && link === null && (marks & MARKS.code) !== 0)
}

function isBare({ kind, text, marks, link }: Run): boolean {
  return kind === 'break' || (kind === 'text' && marks === 0 && (link === null || link === text))
}

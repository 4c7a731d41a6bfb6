import { type Block, MARKS, ROOT, type Run, type Source } from './blocks.ts'
import type { HtmlTree } from './html-tree.ts'
import { readBlocks } from './read-blocks.ts'
import { readStyleSheet } from './styles.ts'
import { writeBlocks } from './write-blocks.ts'
import { writeInlines } from './write-inlines.ts'

/** The options of {@link htmlToMarkdown}. */
export interface ConvertOptions {
  /** The origin of the page, which is removed from addresses. @default none */
  readonly origin?: string
  /**
   * Whether the document defines link labels, so that `[any]` could become a link. @default false
   */
  readonly labels?: boolean
  /** Whether the Markdown is inserted into a table cell. @default false */
  readonly cell?: boolean
}

/** The result of {@link htmlToMarkdown}. */
export interface Converted {
  readonly markdown: string
  /** True if the Markdown can be inserted into a line. */
  readonly inline: boolean
  /** True if the HTML contains formatting that its plain text lacks. */
  readonly rich: boolean
}

/** Converts pasted HTML to Markdown that renders the same. */
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

/** Returns whether plain text is equivalent: lines without marks, or only code. */
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

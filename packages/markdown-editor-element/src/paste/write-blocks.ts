import { longestTicks } from '../commands/code.ts'
import { type Block, type ListBlock, type Run, type TableBlock, withoutEnd } from './blocks.ts'
import { escapeLineStart } from './escape.ts'
import { writeInlines } from './write-inlines.ts'

interface BlockOptions {
  /** Whether the document defines link labels, so that `[any]` could become a link. */
  readonly labels: boolean
}

/** Writes blocks as Markdown that renders the same. */
export function writeBlocks(blocks: readonly Block[], options: BlockOptions): string {
  return joinBlocks(blocks, options, '\n\n')
}

function joinBlocks(blocks: readonly Block[], options: BlockOptions, separator: string): string {
  let turned = false
  return blocks
    .map((block, index) => {
      const previous = blocks[index - 1]
      // Two consecutive lists would become one, so every second list has a different mark.
      turned =
        block.kind === 'list' &&
        previous?.kind === 'list' &&
        previous.ordered === block.ordered &&
        !turned
      return block.kind === 'list' ? writeList(block, turned, options) : writeBlock(block, options)
    })
    .filter((text) => text !== '')
    .join(separator)
}

function writeBlock(block: Exclude<Block, ListBlock>, options: BlockOptions): string {
  switch (block.kind) {
    case 'paragraph':
      return writeParagraph(block.runs, options)
    case 'heading':
      return writeHeading(block.level, block.runs, options)
    case 'code':
      return writeCode(block.text, block.language)
    case 'quote': {
      const inner = writeBlocks(block.blocks, options)
      return prefixLines(block.alert === null ? inner : `[!${block.alert}]\n${inner}`, '> ', '> ')
    }
    case 'table':
      return writeTable(block, options)
    case 'rule':
      return '---'
  }
}

function writeParagraph(runs: readonly Run[], { labels }: BlockOptions): string {
  const lines = writeInlines(runs, { kind: 'paragraph', labels }).split('\n')
  return lines.map((line) => escapeLineStart(withoutEnd(line.replace(/^ +/, ''), ' '))).join('\n')
}

function writeHeading(level: number, runs: readonly Run[], { labels }: BlockOptions): string {
  const text = writeInlines(runs, { kind: 'heading', labels })
    .trim()
    .replace(/(^|[ \t])(#+)$/, '$1\\$2')
  return `${'#'.repeat(level)} ${text}`
}

function writeCode(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}${language}\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${fence}`
}

function writeList(list: ListBlock, turned: boolean, options: BlockOptions): string {
  const tight = list.items.every(({ blocks }) => canBeTight(blocks))
  const items = list.items.map(({ checked, blocks }, index) => {
    const bullet = turned ? '* ' : '- '
    const mark = list.ordered ? `${list.start + index}${turned ? ')' : '.'} ` : bullet
    const task =
      checked === null || blocks[0]?.kind !== 'paragraph' ? '' : checked ? '[x] ' : '[ ] '
    // `- ---` would be read as a thematic break, not as a list item that contains one.
    const text =
      task +
      joinBlocks(blocks, options, tight ? '\n' : '\n\n').replace(/^---$/m, (rule, at) =>
        at === 0 ? '***' : rule,
      )
    return prefixLines(text, mark, ' '.repeat(mark.length)).trimEnd()
  })
  return items.join(tight ? '\n' : '\n\n')
}

/** Returns whether the blocks of an item can follow each other without empty lines. */
function canBeTight(blocks: readonly Block[]): boolean {
  return blocks.every((block, index) => {
    if (index === 0) return block.kind !== 'table'
    if (block.kind === 'code' || block.kind === 'quote')
      return blocks[index - 1]?.kind !== block.kind
    // An ordered list can follow a paragraph without a blank line only if it begins with 1.
    return (
      block.kind === 'list' &&
      (!block.ordered || block.start === 1) &&
      block.items[0]?.blocks.length !== 0
    )
  })
}

function writeTable({ rows, alignments }: TableBlock, { labels }: BlockOptions): string {
  const lines = rows.map((row) => {
    const cells = row.map((runs) => writeInlines(runs, { kind: 'cell', labels }).trim())
    return `| ${cells.join(' | ')} |`
  })
  const signs = { left: ':--', center: ':-:', right: '--:' }
  const rule = alignments.map((alignment) => (alignment === null ? '---' : signs[alignment]))
  lines.splice(1, 0, `| ${rule.join(' | ')} |`)
  return lines.join('\n')
}

/**
 * Adds the prefix `first` to the first line of a text and `others` to all other lines. On empty
 * lines, `others` is written without its trailing spaces.
 */
export function prefixLines(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) =>
      index === 0 ? first + line : line === '' ? others.trimEnd() : others + line,
    )
    .join('\n')
}

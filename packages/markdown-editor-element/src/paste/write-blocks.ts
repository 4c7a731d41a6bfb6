import { longestTicks } from '../commands/code.ts'
import { type Block, type ListBlock, type Run, type TableBlock, withoutEnd } from './blocks.ts'
import { escapeLineStart } from './escape.ts'
import { writeInlines } from './write-inlines.ts'

interface BlockOptions {
  /** Whether `[any]` may be a link by a definition elsewhere. */
  readonly labels: boolean
}

/** Writes blocks as markdown that shows the same. */
export function writeBlocks(blocks: readonly Block[], options: BlockOptions): string {
  return joinBlocks(blocks, options, '\n\n')
}

function joinBlocks(blocks: readonly Block[], options: BlockOptions, separator: string): string {
  let turned = false
  return blocks
    .map((block, index) => {
      const previous = blocks[index - 1]
      // Two lists in a row would become one.
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
    // After a bullet, dashes would make the line a rule.
    const text =
      task +
      joinBlocks(blocks, options, tight ? '\n' : '\n\n').replace(/^---$/m, (rule, at) =>
        at === 0 ? '***' : rule,
      )
    return prefixLines(text, mark, ' '.repeat(mark.length)).trimEnd()
  })
  return items.join(tight ? '\n' : '\n\n')
}

/** True if the blocks of an item can be separated without empty lines. */
function canBeTight(blocks: readonly Block[]): boolean {
  return blocks.every((block, index) => {
    if (index === 0) return block.kind !== 'table'
    if (block.kind === 'code' || block.kind === 'quote')
      return blocks[index - 1]?.kind !== block.kind
    // Only a list that begins with 1 may follow a paragraph at once.
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

/** Prefixes the first line and all others. Empty lines end without spaces. */
export function prefixLines(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) =>
      index === 0 ? first + line : line === '' ? others.trimEnd() : others + line,
    )
    .join('\n')
}

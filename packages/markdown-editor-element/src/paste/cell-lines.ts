import { type Block, MARKS, type Run } from './blocks.ts'
import { BREAK } from './runs.ts'

/** Turns blocks into the lines of a table cell. */
export function linesOf(blocks: readonly Block[]): Run[] {
  const lines = blocks.map(lineOf).filter((runs) => runs.length > 0)
  return lines.flatMap((runs, index) => (index > 0 ? [BREAK, ...runs] : runs))
}

function lineOf(block: Block): Run[] {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return [...block.runs]
    case 'code':
      return block.text
        .split('\n')
        .flatMap((line, index) => [...(index > 0 ? [BREAK] : []), text(line, MARKS.code)])
    case 'list':
      return block.items.flatMap(({ blocks }, index) => {
        const mark = block.ordered ? `${block.start + index}. ` : '• '
        return [...(index > 0 ? [BREAK] : []), text(mark, 0), ...linesOf(blocks)]
      })
    case 'table':
      return block.rows.flatMap((row, index) => {
        const cells = row.flatMap((runs, x) => [...(x > 0 ? [text(' ', 0)] : []), ...runs])
        return [...(index > 0 ? [BREAK] : []), ...cells]
      })
    case 'quote':
    case 'footnote':
      return linesOf(block.blocks)
    case 'details':
      return [
        text(block.summary, 0),
        ...(block.blocks.length > 0 ? [BREAK] : []),
        ...linesOf(block.blocks),
      ]
    case 'markdown':
      return [{ ...text(block.text, 0), kind: 'markdown' }]
    case 'rule':
      return []
  }
}

function text(content: string, marks: number): Run {
  return { kind: 'text', text: content, marks, link: null }
}

/** The same in bold. */
export function withStrong(runs: readonly Run[]): Run[] {
  return runs.map((run) =>
    run.kind === 'text' ? { ...run, marks: run.marks | MARKS.strong } : run,
  )
}

/** Removes bold if all runs are bold, because headings and header cells are bold anyway. */
export function withoutStrong(runs: readonly Run[]): readonly Run[] {
  const bold = runs.every(({ kind, marks }) => kind !== 'text' || (marks & MARKS.strong) !== 0)
  return bold ? runs.map((run) => ({ ...run, marks: run.marks & ~MARKS.strong })) : runs
}

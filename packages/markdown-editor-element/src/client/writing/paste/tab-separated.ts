import type { Run } from './blocks.ts'
import { writeBlocks } from './write-blocks.ts'

/**
 * The table that the plain flavour of a spreadsheet holds: cells with tabs between them, one row a line.
 *
 * @returns null when the rows are not of one length, or there is one cell a row
 */
export function tableOfText(text: string): string | null {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
  const cells = lines.map((line) => line.split('\t'))
  const [first = []] = cells
  if (first.length < 2 || cells.some((row) => row.length !== first.length)) return null
  const rows = cells.map((row) => row.map((content) => [toRun(content.trim())]))
  return writeBlocks([{ kind: 'table', alignments: first.map(() => null), rows }], {
    labels: false,
  })
}

function toRun(text: string): Run {
  return { kind: 'text', text, marks: 0, link: null }
}

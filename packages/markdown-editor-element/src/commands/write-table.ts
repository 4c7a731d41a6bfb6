import { insertBlock, selectIn } from './blocks.ts'
import { type Edit, editBetween, type TextState } from './edit.ts'
import type { Alignment } from './line-grammar.ts'
import type { Table } from './tables.ts'

/** A table as its lines, the pipes in columns. */
function tableLines({
  rows,
  alignments,
  prefix,
}: Pick<Table, 'rows' | 'alignments' | 'prefix'>): string[] {
  const widths = alignments.map((_, column) =>
    Math.max(3, ...rows.map(({ cells }) => textWidth(cells[column] ?? ''))),
  )
  const [header = '', ...others] = rows.map((row) => {
    const missing = Math.max(0, alignments.length - row.cells.length)
    const cells = [...row.cells, ...Array<string>(missing).fill('')]
    const written = cells.map((cell, column) =>
      pad(cell, widths[column] ?? 0, alignments[column] ?? null),
    )
    return `${row.prefix}| ${written.join(' | ')} |`
  })
  const rule = alignments.map((alignment, column) => dashes(widths[column] ?? 3, alignment))
  return [header, `${prefix}| ${rule.join(' | ')} |`, ...others]
}

/**
 * The edit that puts a changed table in the place of the one it was read from; the caret goes to
 * its cell.
 */
export function tableEdit(state: TextState, table: Table): Edit | null {
  const lines = tableLines(table)
  const line = table.row === 0 ? 0 : table.row + 1
  const before = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  const caret =
    table.start +
    before +
    cellEnd(lines[line] ?? '', table.rows[table.row]?.prefix.length ?? 0, table.column)
  const text = state.text.slice(0, table.start) + lines.join('\n') + state.text.slice(table.end)
  return editBetween(state, { text, selectionStart: caret, selectionEnd: caret })
}

/** Where the text of a cell ends in a line. */
function cellEnd(line: string, from: number, column: number): number {
  const pipes = [...line.matchAll(/(?<!\\)\|/g)]
    .map(({ index }) => index)
    .filter((index) => index >= from)
  const start = pipes[column] ?? from
  const cell = line.slice(start + 1, pipes[column + 1])
  return start + 1 + Math.max(1, cell.trimEnd().length)
}

function pad(cell: string, width: number, alignment: Alignment): string {
  const room = Math.max(0, width - textWidth(cell))
  const before = alignment === 'right' ? room : alignment === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + cell + ' '.repeat(room - before)
}

function dashes(width: number, alignment: Alignment): string {
  const first = alignment === 'left' || alignment === 'center' ? ':' : '-'
  const last = alignment === 'right' || alignment === 'center' ? ':' : '-'
  return first + '-'.repeat(width - 2) + last
}

/**
 * The edit that puts a new table behind the current block, its first header selected.
 *
 * @param rows with the header
 * @param header what each header says
 */
export function newTable(state: TextState, columns: number, rows: number, header: string): Edit {
  const cells = Array<string>(columns).fill(header)
  const empty = { prefix: '', cells: Array<string>(columns).fill('') }
  const body = Array.from({ length: rows - 1 }, () => empty)
  const alignments = Array<Alignment>(columns).fill(null)
  const lines = tableLines({ prefix: '', alignments, rows: [{ prefix: '', cells }, ...body] })
  return selectIn(insertBlock(state, lines), header)
}

/** The edit that takes a table away, and one of the empty lines around it. */
export function deleteTable({ text }: TextState, { start, end, rows }: Table): Edit {
  const from = start + (rows[0]?.prefix.length ?? 0)
  const to =
    text.startsWith('\n\n', end) && (from === 0 || text.slice(0, from).endsWith('\n\n'))
      ? end + 2
      : end
  return { start: from, end: to, insert: '', selectionStart: from, selectionEnd: from }
}

const HALF_WIDTH = /^[\uff61-\uffdc]/
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u
const NO_WIDTH = /^[\p{M}\p{Cf}]+$/u

let segmenter: Intl.Segmenter | undefined

/**
 * How many columns a text takes in a font of one width: two for Chinese, Japanese, Korean and
 * emoji.
 */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  segmenter ??= new Intl.Segmenter()
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment)
  return width
}

function widthOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) && !HALF_WIDTH.test(character) ? 2 : 1
}

import type { AlignType, BlockContent, Nodes, PhrasingContent, Table } from 'mdast'
import { attributeOf, findElement, type HtmlElement } from './html-tree.ts'
import { withoutStrong } from './inlines.ts'
import { declarationsOf, type Inherited, isHidden, type Source } from './styles.ts'

interface Cell {
  readonly isHeader: boolean
  readonly content: PhrasingContent[]
  readonly alignment: AlignType
  readonly spans: readonly [columns: number, rows: number]
}

const EMPTY: Cell = { isHeader: false, content: [], alignment: null, spans: [1, 1] }

// Larger tables are pasted as text.
const MAX_CELLS = 100_000
const MAX_COLUMNS = 200

/** Reads a table. For a layout or a very small or large table, returns only the content. */
export function readTable(table: HtmlElement, inner: Inherited, source: Source): BlockContent[] {
  // Skips hidden rows, because spreadsheets also copy rows that are filtered out.
  const rows = rowsOf(table).filter((row) => !isHidden(declarationsOf(row, source.sheet)))
  const grid = isLayout(table, rows)
    ? null
    : toGrid(rows.map((row) => readCells(row, inner, source)))
  const caption = elementsOf(table).filter(({ name }) => name === 'caption')
  const before = source.read(caption, inner)
  if (grid?.length === 0) return before
  if (grid !== null) return [...before, toTable(grid)]
  // Each cell is a block, so that the text of two cells does not run together.
  const cells = (row: HtmlElement) => cellsOf(row).map((cell) => ({ ...cell, name: 'div' }))
  return [...before, ...rows.flatMap((row) => source.read(cells(row), inner))]
}

function rowsOf(table: HtmlElement): HtmlElement[] {
  return elementsOf(table)
    .flatMap((child) => (/^t(?:head|body|foot)$/.test(child.name) ? elementsOf(child) : [child]))
    .filter(({ name }) => name === 'tr')
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return elementsOf(row).filter(({ name }) => name === 'td' || name === 'th')
}

function elementsOf(element: HtmlElement): HtmlElement[] {
  return element.children.filter((child) => typeof child !== 'string')
}

/** Returns whether a table only arranges a page, as in e-mails, or has too few or many cells. */
function isLayout(table: HtmlElement, rows: readonly HtmlElement[]): boolean {
  if (/^(?:presentation|none)$/.test(attributeOf(table, 'role'))) return true
  const counts = rows.map((row) => cellsOf(row).length)
  const cells = counts.reduce((sum, count) => sum + count, 0)
  if (cells <= 1 || cells > MAX_CELLS) return true
  const isColumn = counts.every((count) => count <= 1)
  return isColumn && findElement(table, (each) => each !== table && each.name === 'table') !== null
}

function readCells(row: HtmlElement, inner: Inherited, source: Source): Cell[] {
  return cellsOf(row).map((cell) => ({
    isHeader: cell.name === 'th',
    content: contentOf(source.read([cell], inner)),
    alignment: alignmentOf(cell, source),
    spans: [spanOf(cell, 'colspan'), spanOf(cell, 'rowspan')],
  }))
}

function spanOf(cell: HtmlElement, name: string): number {
  return Math.max(1, Number.parseInt(attributeOf(cell, name), 10) || 1)
}

function alignmentOf(element: HtmlElement, source: Source): AlignType {
  const said = `${declarationsOf(element, source.sheet).get('text-align')} ${attributeOf(element, 'align')}`
  const [alignment] = /left|center|right/.exec(said) ?? []
  if (alignment !== undefined) return alignment as AlignType
  const [first] = elementsOf(element)
  return first?.name === 'p' || first?.name === 'div' ? alignmentOf(first, source) : null
}

/** Arranges cells in rows of equal length. Spanned positions are empty. Null if too large. */
function toGrid(rows: readonly (readonly Cell[])[]): Cell[][] | null {
  const grid: (Cell | undefined)[][] = rows.map(() => [])
  let count = 0
  for (const [y, cells] of rows.entries()) {
    let x = 0
    for (const cell of cells) {
      while (grid[y]?.[x] !== undefined) x++
      if (x >= MAX_COLUMNS) return null
      const end = Math.min(x + cell.spans[0], MAX_COLUMNS)
      const spanned = grid.slice(y, y + cell.spans[1])
      count += (end - x) * spanned.length
      if (count > MAX_CELLS) return null
      for (const row of spanned) {
        for (let column = x; column < end; column++) row[column] ??= EMPTY
      }
      grid[y]?.splice(x, 1, cell)
      x = end
    }
  }
  const columns = grid.reduce((most, row) => Math.max(most, row.findLastIndex(isFilled) + 1), 0)
  return grid
    .slice(0, grid.findLastIndex((row) => row.some(isFilled)) + 1)
    .map((row) => Array.from({ length: columns }, (_, x) => row[x] ?? EMPTY))
}

function isFilled(cell: Cell | undefined): boolean {
  return cell !== undefined && cell.content.length > 0
}

/** If the first row mixes `th` and filled `td`, its `th` belong to rows, so the header is empty. */
function toTable(grid: readonly (readonly Cell[])[]): Table {
  const [first = [], ...rest] = grid
  const hasRowHeaders =
    first.some(({ isHeader }) => isHeader) && first.some((cell) => !cell.isHeader && isFilled(cell))
  const header = hasRowHeaders ? first.map(() => EMPTY) : first
  const body = hasRowHeaders ? grid : rest
  const columnOf = (x: number): Cell[] => body.map((row) => row[x] ?? EMPTY)
  const rows = [
    header.map(({ content }) => withoutStrong(content)),
    ...body.map((row) => row.map(bodyContent)),
  ]
  return {
    type: 'table',
    align: header.map((cell, x) => columnAlignment(cell, columnOf(x))),
    children: rows.map((row) => ({
      type: 'tableRow',
      children: row.map((children) => ({ type: 'tableCell', children })),
    })),
  }
}

function bodyContent(cell: Cell): PhrasingContent[] {
  if (!cell.isHeader || !isFilled(cell)) return cell.content
  return [{ type: 'marked', mark: 'strong', children: withoutStrong(cell.content) }]
}

/** Returns the alignment that all filled body cells share, or of the header if there are none. */
function columnAlignment(header: Cell, body: readonly Cell[]): AlignType {
  const filled = body.filter(isFilled)
  const alignments = new Set((filled.length > 0 ? filled : [header]).map((cell) => cell.alignment))
  const [alignment = null] = alignments
  // Cells are left-aligned by default, so `left` counts only if the header cell has it.
  const isDefault = alignment === 'left' && !(header.isHeader && header.alignment === 'left')
  return alignments.size > 1 || isDefault ? null : alignment
}

function contentOf(blocks: readonly BlockContent[]): PhrasingContent[] {
  return linesOf(blocks)
    .filter((line) => line.length > 0)
    .flatMap((line, index) => (index > 0 ? [{ type: 'break' }, ...line] : line))
}

function linesOf(blocks: readonly Nodes[]): PhrasingContent[][] {
  return blocks.flatMap((block): PhrasingContent[][] => {
    switch (block.type) {
      case 'paragraph':
      case 'heading':
      case 'tableCell':
        return [block.children]
      case 'code': {
        const lines = block.value.split('\n').filter((line) => line !== '')
        return lines.map((value) => [{ type: 'inlineCode', value }])
      }
      case 'list':
        return block.children.flatMap(({ children }, index) => {
          const value = block.ordered ? `${(block.start ?? 1) + index}. ` : '• '
          const [first = [], ...others] = linesOf(children)
          return [[{ type: 'text', value }, ...first], ...others]
        })
      default:
        return 'children' in block ? linesOf(block.children) : []
    }
  })
}

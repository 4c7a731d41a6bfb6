import type { AlignType, BlockContent, PhrasingContent, Table } from 'mdast'
import { attributeOf, findElement, type HtmlElement } from './html-tree.ts'
import { withoutStrong } from './inlines.ts'
import { declarationsOf, type Inherited, isHidden, type Source } from './styles.ts'

interface Cell {
  readonly element: HtmlElement
  readonly content: PhrasingContent[]
  readonly alignment: AlignType
}

// Larger tables are pasted as text.
const MAX_CELLS = 100_000
const MAX_COLUMNS = 200

/**
 * Reads a table. If it is for layout, has at most one cell or is too large, returns its content
 * without the table.
 */
export function readTable(table: HtmlElement, around: Inherited, source: Source): BlockContent[] {
  const inner = { ...around, depth: around.depth + 1 }
  // Spreadsheets also copy rows that are filtered out.
  const rows = rowsOf(table).filter((row) => !isHidden(declarationsOf(row, source.sheet)))
  const grid = isLayout(table, rows)
    ? null
    : toGrid(rows.map((row) => readCells(row, inner, source)))
  const caption = elementsOf(table).filter(({ name }) => name === 'caption')
  const before = source.read(caption, around)
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

/**
 * Returns whether a table only arranges a page, as in e-mails: its role says so, or it has one
 * column that contains another table. Also true for a table with at most one cell or too many
 * cells.
 */
function isLayout(table: HtmlElement, rows: readonly HtmlElement[]): boolean {
  if (/^(?:presentation|none)$/.test(attributeOf(table, 'role'))) return true
  const counts = rows.map((row) => cellsOf(row).length)
  const cells = counts.reduce((sum, count) => sum + count, 0)
  if (cells <= 1 || cells > MAX_CELLS) return true
  const isColumn = counts.every((count) => count <= 1)
  return isColumn && findElement(table, (each) => each !== table && each.name === 'table') !== null
}

function readCells(row: HtmlElement, inner: Inherited, source: Source): Cell[] {
  return cellsOf(row).map((element) => ({
    element,
    content: linesOf(source.read([element], inner)),
    alignment: alignmentOf(element, source),
  }))
}

/** Returns the alignment of a cell or of its first paragraph, or null for the default. */
function alignmentOf(element: HtmlElement, source: Source): AlignType {
  const said = `${declarationsOf(element, source.sheet).get('text-align')} ${attributeOf(element, 'align')}`
  const [alignment] = /left|center|right/.exec(said) ?? []
  if (alignment !== undefined) return alignment as AlignType
  const [first] = elementsOf(element)
  return first?.name === 'p' || first?.name === 'div' ? alignmentOf(first, source) : null
}

/**
 * Arranges cells in rows of equal length. A cell that spans several positions is placed at the
 * first, and the others are null. Returns null if the table is too large.
 */
function toGrid(rows: readonly (readonly Cell[])[]): (Cell | null)[][] | null {
  // An undefined position is free; null belongs to a cell that spans several positions.
  const grid: (Cell | null | undefined)[][] = rows.map(() => [])
  let count = 0
  for (const [y, cells] of rows.entries()) {
    let x = 0
    for (const cell of cells) {
      while (grid[y]?.[x] !== undefined) x++
      if (x >= MAX_COLUMNS) return null
      const width = spanOf(cell.element, 'colspan', MAX_COLUMNS - x)
      const height = spanOf(cell.element, 'rowspan', rows.length - y)
      count += width * height
      if (count > MAX_CELLS) return null
      for (const [below, row] of grid.slice(y, y + height).entries()) {
        for (let column = x; column < x + width; column++)
          if (row[column] === undefined) row[column] = below === 0 && column === x ? cell : null
      }
      x += width
    }
  }
  return trimGrid(grid)
}

function spanOf(element: HtmlElement, name: string, most: number): number {
  return Math.max(1, Math.min(most, Number.parseInt(attributeOf(element, name), 10) || 1))
}

function trimGrid(grid: readonly (readonly (Cell | null | undefined)[])[]): (Cell | null)[][] {
  const isFull = (cell: Cell | null | undefined): boolean => cell != null && cell.content.length > 0
  const columns = grid.reduce((most, row) => Math.max(most, row.findLastIndex(isFull) + 1), 0)
  const last = grid.findLastIndex((row) => row.some(isFull))
  return grid
    .slice(0, last + 1)
    .map((row) => Array.from({ length: columns }, (_, x) => row[x] ?? null))
}

/**
 * Creates a table whose header is the first row. If that row contains both header cells (`th`) and
 * other filled cells, its header cells belong to rows, so the table gets an empty header.
 */
function toTable(grid: readonly (readonly (Cell | null)[])[]): Table {
  const [first = [], ...rest] = grid
  const isHead =
    first.every((cell) => cell?.element.name !== 'th') ||
    first.every((cell) => cell === null || cell.content.length === 0 || cell.element.name === 'th')
  const header = isHead ? first : first.map(() => null)
  const body = isHead ? rest : grid
  const rows = [
    header.map((cell) => withoutStrong(cell?.content ?? [])),
    ...body.map((row) => row.map(contentOf)),
  ]
  return {
    type: 'table',
    align: first.map((_, x) => columnAlignment(header, body, x)),
    children: rows.map((row) => ({
      type: 'tableRow',
      children: row.map((children) => ({ type: 'tableCell', children })),
    })),
  }
}

function contentOf(cell: Cell | null): PhrasingContent[] {
  if (cell?.element.name !== 'th' || cell.content.length === 0) return cell?.content ?? []
  return [{ type: 'marked', mark: 'strong', children: withoutStrong(cell.content) }]
}

/**
 * Returns the alignment that all filled body cells of a column share, or null. If the body has no
 * filled cells, returns the alignment of the header.
 */
function columnAlignment(
  header: readonly (Cell | null)[],
  body: readonly (readonly (Cell | null)[])[],
  x: number,
): AlignType {
  const cells = body.map((row) => row[x]).filter((cell) => cell != null && cell.content.length > 0)
  const [first] = cells.length > 0 ? cells : [header[x]]
  const alignment = first?.alignment ?? null
  // Cells are left-aligned by default, so `left` counts only if the header cell has it.
  const asked = header[x]?.element.name === 'th' && header[x].alignment === 'left'
  if (alignment === 'left' && !asked) return null
  return cells.every((cell) => cell?.alignment === alignment) ? alignment : null
}

/** Converts blocks to the content of a table cell, with a break between two lines. */
function linesOf(blocks: readonly BlockContent[]): PhrasingContent[] {
  return joinLines(blocks.map(lineOf))
}

function joinLines(lines: readonly PhrasingContent[][]): PhrasingContent[] {
  return lines
    .filter((line) => line.length > 0)
    .flatMap((line, index) => (index > 0 ? [{ type: 'break' }, ...line] : line))
}

function lineOf(block: BlockContent): PhrasingContent[] {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return block.children
    case 'code': {
      const lines = block.value.split('\n').filter((line) => line !== '')
      return joinLines(lines.map((value) => [{ type: 'inlineCode', value }]))
    }
    case 'list':
      return joinLines(
        block.children.map(({ children }, index) => {
          const mark = block.ordered ? `${(block.start ?? 1) + index}. ` : '• '
          return [{ type: 'text', value: mark }, ...linesOf(children as BlockContent[])]
        }),
      )
    case 'table':
      return joinLines(
        block.children.map((row) =>
          row.children.flatMap(({ children }, x): PhrasingContent[] =>
            x > 0 ? [{ type: 'text', value: ' ' }, ...children] : children,
          ),
        ),
      )
    case 'blockquote':
      return linesOf(block.children as BlockContent[])
    case 'html':
    case 'thematicBreak':
      return []
  }
}

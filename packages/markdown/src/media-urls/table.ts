import { type Content, sliceContent } from './source-lines.ts'

/**
 * Number of columns of the GFM table whose delimiter row (`| --- | :-: |`) is this line; 0 when it is none.
 */
export function delimiterColumns(line: string): number {
  if (!/^[|:-][|: \t-]+$/.test(line)) return 0
  const cells = splitRow(line)
  return cells.every(([start, end]) => /^[ \t]*:?-+:?[ \t]*$/.test(line.slice(start, end)))
    ? cells.length
    : 0
}

/** Number of cells in a row of a table; 0 when no pipe says that it is one. */
export function rowColumns(line: string): number {
  return line.includes('|') ? splitRow(line).length : 0
}

/** The cells of a row, at most so many: what is over is not shown. `start` is the position of the row in the document. */
export function rowCells(document: string, start: number, end: number, columns: number): Content[] {
  return splitRow(document.slice(start, end))
    .slice(0, columns)
    .map(([from, to]) => sliceContent(document, start + from, start + to))
}

/** Bounds of the cells: pipes part them, an escaped one does not, one at either end may be left out. */
function splitRow(line: string): [start: number, end: number][] {
  const row = line.trimEnd()
  const cells: [number, number][] = []
  let start = row.startsWith('|') ? 1 : 0
  for (let pipe = row.indexOf('|', start); pipe !== -1; pipe = row.indexOf('|', pipe + 1)) {
    if (row[pipe - 1] === '\\') continue
    cells.push([start, pipe])
    start = pipe + 1
  }
  if (start < row.length) cells.push([start, row.length])
  return cells
}

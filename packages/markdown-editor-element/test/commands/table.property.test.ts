import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { applyEdit, type Edit, type TextState } from '../../src/commands/edit.ts'
import {
  newTable,
  selectNextCell,
  TABLE_CHANGES,
  type Table,
  type TableChangeName,
  tableAt,
  tableEdit,
} from '../../src/commands/tables.ts'

const renderer = new DefaultRenderer()

const cell = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      ' ',
      '\\|',
      '\\\\',
      '`x`',
      '中',
      '한',
      '👩‍🚀',
      'é',
      '*',
      '-',
      ':',
      'ｱ',
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join('').trim())
const delimiter = fc.constantFrom('-', '---', ':--', '--:', ':-:')
const shape = fc.integer({ min: 1, max: 4 }).chain((columns) =>
  fc.record({
    delimiters: fc.array(delimiter, { minLength: columns, maxLength: columns }),
    header: fc.array(cell, { minLength: columns, maxLength: columns }),
    // Rows may be too short or too long.
    rows: fc.array(fc.array(cell, { minLength: 1, maxLength: columns + 2 }), { maxLength: 4 }),
    prefix: fc.constantFrom('', '> ', '  '),
    caret: fc.nat(),
  }),
)
const source = shape.map(({ delimiters, header, rows, prefix, caret }) => {
  const lines = [header, delimiters, ...rows].map((cells) => `${prefix}| ${cells.join(' | ')} |`)
  const text = `before\n\n${lines.join('\n')}\n\nafter`
  const start = 'before\n\n'.length
  return {
    text,
    caret: start + (caret % (text.length - start - '\n\nafter'.length + 1)),
    columns: header.length,
    prefix,
  }
})
const name = fc.constantFrom(...(Object.keys(TABLE_CHANGES) as TableChangeName[]))

const at = (text: string, caret: number): TextState => ({
  text,
  selectionStart: caret,
  selectionEnd: caret,
})

function change(state: TextState, table: Table, by: TableChangeName): TextState {
  return write(state, TABLE_CHANGES[by](table))
}

function write(state: TextState, table: Table | null): TextState {
  const edit = table && tableEdit(state, table)
  return edit === null ? state : applyEdit(state, edit)
}

function format(state: TextState): TextState {
  return write(state, tableAt(state))
}

function rendered(text: string): string[][] {
  const rows = renderer.render(text).match(/<tr>[\s\S]*?<\/tr>/g) ?? []
  return rows.map((row) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, content = '']) => content),
  )
}

describe('a table at the caret', () => {
  it('is found as the renderer finds it', () => {
    fc.assert(
      fc.property(source, ({ text, caret, columns }) => {
        const table = tableAt(at(text, caret))
        expect(table?.alignments.length).toBe(columns)
        expect(table?.rows.length).toBe(rendered(text).length)
      }),
    )
  })

  it('renders the same after alignment of its pipes, which is idempotent', () => {
    fc.assert(
      fc.property(source, ({ text, caret }) => {
        const state = at(text, caret)
        const once = format(state)
        expect(renderer.render(once.text)).toBe(renderer.render(text))
        expect(format(once)).toEqual(once)
      }),
    )
  })

  it('stays a table after every change, and keeps the other cells, the text around it and the caret', () => {
    fc.assert(
      fc.property(
        source,
        fc.array(name, { minLength: 1, maxLength: 6 }),
        ({ text, caret }, names) => {
          let state = at(text, caret)
          for (const by of names) {
            const before = tableAt(state) as Table
            const next = change(state, before, by)
            const after = tableAt(next) as Table
            expect(next.text.startsWith('before\n\n') && next.text.endsWith('\n\nafter')).toBe(true)
            const expected = TABLE_CHANGES[by](before) ?? before
            expect(rendered(next.text).length).toBe(expected.rows.length)
            expect(rendered(next.text)[0]?.length).toBe(expected.alignments.length)
            expect(after.alignments).toEqual(expected.alignments)
            for (const [index, row] of expected.rows.entries()) {
              expect(after.rows[index]?.cells.slice(0, row.cells.length)).toEqual(row.cells)
            }
            if (TABLE_CHANGES[by](before) !== null) {
              expect([after.row, after.column]).toEqual([expected.row, expected.column])
            }
            state = next
          }
        },
      ),
    )
  })

  it('is unchanged when a row or a column is added and removed', () => {
    fc.assert(
      fc.property(source, fc.boolean(), ({ text, caret }, byRow) => {
        const state = at(text, caret)
        const lined = format(state)
        const more = change(lined, tableAt(lined) as Table, byRow ? 'row-below' : 'column-after')
        const back = change(more, tableAt(more) as Table, byRow ? 'row-delete' : 'column-delete')
        expect(renderer.render(back.text)).toBe(renderer.render(text))
      }),
    )
  })

  it('has aligned pipes', () => {
    const text = '| a | b |\n|--|:-:|\n| long | 1 |\n| é | x\\|y |'
    const state = at(text, 0)
    expect(format(state).text).toBe(
      '| a    |  b   |\n| ---- | :--: |\n| long |  1   |\n| é    | x\\|y |',
    )
  })
})

describe('text that is not a table', () => {
  it.each([
    ['code', '```\n| a |\n| - |\n```', 6],
    ['code in a list item', '- ```\n  | a |\n  | - |\n  x', 9],
    ['code below a blank line', '1. ```\n\n   | a |\n   | - |\n', 12],
    ['indented code', '    | a |\n    | - |', 6],
    ['indented code in a list item', '- x\n\n      | a |\n      | - |', 12],
    ['indented code after a list mark', '-     | a |\n      | - |', 8],
    ['<pre>', '<pre>\n| a |\n| - |\n</pre>', 8],
    ['<pre> with a blank line', '> <pre>\n>\n> | a |\n> | - |', 14],
    ['a comment', '<!-- x\n\n| a |\n| - |\n-->', 11],
    ['a text with pipes', 'a | b\nc | d', 2],
    ['another number of columns', '| a | b |\n| - |', 2],
    ['the text above', 'text\n| a |\n| - |', 0],
    ['a quote below', '| a |\n| - |\n> | b |', 16],
    ['a text below an empty line', '| a |\n| - |\n\n| b |', 14],
  ])('%s', (_, text, caret) => {
    expect(tableAt(at(text, caret))).toBeNull()
  })
})

describe('a table after code', () => {
  it.each([
    ['in a list item', '- ```\n  x\n  ```\n\n| a |\n| - |'],
    ['that ends with its list item', '- ```\n  x\n\n| a |\n| - |'],
    ['of HTML', '```\n<pre>\n```\n\n| a |\n| - |'],
    ['in HTML', '<pre>x</pre>\n\n<!-- x -->\n\n| a |\n| - |'],
    ['deep in a list', '- x\n  - ```\n    ```\n\n    | a |\n    | - |'],
  ])('%s', (_, text) => {
    expect(tableAt(at(text, text.indexOf('|') + 2))).not.toBeNull()
  })
})

describe('a new table', () => {
  it('has the requested size', () => {
    const edit = newTable(at('text', 4), 3, 4, 'Header')
    const next = applyEdit(at('text', 4), edit)
    expect(rendered(next.text).map((row) => row.length)).toEqual([3, 3, 3, 3])
    expect(next.text.slice(next.selectionStart, next.selectionEnd)).toBe('Header')
  })

  it('is a table in a quote, an empty item, an empty task and a nested list', () => {
    const containers = fc.constantFrom('', '> ', '> > ', '- a\n  ', '> 1. a\n>    ', 'a\n\n')
    const markers = fc.constantFrom('', '- ', '* ', '1) ', '- [ ] ', '1. [x] ')
    const sizes = fc.integer({ min: 1, max: 4 })
    const afters = fc.constantFrom('', '\n\nb')
    fc.assert(
      fc.property(
        containers,
        markers,
        sizes,
        sizes,
        afters,
        (container, marker, columns, rows, after) => {
          const line = container + marker
          const state = at(line + after, line.length)
          const next = applyEdit(state, newTable(state, columns, rows, 'Header'))
          expect(rendered(next.text).map((row) => row.length)).toEqual(Array(rows).fill(columns))
          expect(tableAt(next)?.rows.length).toBe(rows)
          expect(renderer.render(next.text)).not.toContain('[')
        },
      ),
    )
  })

  it('is as wide as its header, and Tab narrows it to its text', () => {
    const next = applyEdit(at('', 0), newTable(at('', 0), 1, 2, 'Header'))
    expect(next.text).toBe('| Header |\n| ------ |\n|        |\n\n')
    const typed = at(next.text.replace('Header', 'No.'), 5)
    expect(applyEdit(typed, selectNextCell(typed, 1) as Edit).text).toBe(
      '| No. |\n| --- |\n|     |\n\n',
    )
  })
})

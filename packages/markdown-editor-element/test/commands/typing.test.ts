import { describe, expect, it } from 'vitest'
import { continueLine, removeMarker } from '../../src/commands/continue.ts'
import { applyEdit, type Command } from '../../src/commands/edit.ts'
import { indentLines, outdentLines, takesTab } from '../../src/commands/indent.ts'
import { selectNextCell } from '../../src/commands/tables.ts'
import { formatCarets, parseCarets } from '../support/caret.ts'

/** Returns null if the command leaves the key to the browser. */
function press(command: Command, notation: string): string | null {
  const state = parseCarets(notation, '¦')
  const edit = command(state)
  return edit && formatCarets(applyEdit(state, edit), '¦')
}

const enter = (notation: string): string | null => press(continueLine, notation)
const tab = (notation: string): string | null => press(indentLines, notation)
const shiftTab = (notation: string): string | null => press(outdentLines, notation)

describe('Tab in a table', () => {
  const next = (notation: string) => press((state) => selectNextCell(state, 1), notation)
  const back = (notation: string) => press((state) => selectNextCell(state, -1), notation)

  it('selects the next or the previous cell, and aligns the table', () => {
    const table = '| a   | bcd |\n| --- | --: |\n| e   |   f |'
    expect(next('|a¦|bcd|\n|-|-:|\n|e|f')).toBe(table.replace('bcd', '¦bcd¦'))
    expect(next(table.replace('bcd', '¦bcd¦'))).toBe(table.replace('e', '¦e¦'))
    expect(next(table.replace('e', '¦e¦'))).toBe(table.replace('f', '¦f¦'))
    expect(back(table.replace('f', '¦f¦'))).toBe(table.replace('e', '¦e¦'))
    expect(back(table.replace('e', '¦e¦'))).toBe(table.replace('bcd', '¦bcd¦'))
  })

  it('adds a row after the last cell, and does nothing before the first one', () => {
    expect(next('  | a | b |\n  |---|---|\n  | c | d¦ |\n\nend')).toBe(
      '  | a   | b   |\n  | --- | --- |\n  | c   | d   |\n  | ¦    |     |\n\nend',
    )
    expect(back('| a¦ | b |\n|---|---|')).toBe(null)
  })

  it('goes from the delimiter row to the first cell of the body, or back to the header', () => {
    const table = '| a   | b   |\n| --- | --- |\n| c   | d   |'
    for (const rule of ['| -¦-- | --- |', '| --- | --¦- |']) {
      const state = table.replace('| --- | --- |', rule)
      expect(next(state)).toBe(table.replace('c', '¦c¦'))
      expect(back(state)).toBe(table.replace('b', '¦b¦'))
    }
  })

  it('does not align a table that would grow much longer', () => {
    const wide = 'x'.repeat(101)
    expect(next(`|a¦|b|\n|-|-:|\n|${wide}|`)).toBe(`| a | ¦b¦ |\n| --- | --: |\n| ${wide} |`)
    expect(next(`|${wide}¦|b|\n|-|-|\n|c|`)).toBe(`| ${wide} | ¦b¦ |\n| --- | --- |\n| c |`)
    expect(next(`|${wide}|b|\n|-|-|\n|c¦|`)).toBe(`| ${wide} | b |\n| --- | --- |\n| c | ¦ |`)
    const columns = '|a'.repeat(1000)
    const many = `${columns}\n${'|-'.repeat(1000)}\n${'|a\n'.repeat(1000)}`
    expect(next(many.replace('a', 'a¦'))?.length).toBeLessThan(3 * many.length)
  })

  it('works in a table of very many rows', () => {
    expect(next(`|a¦|b|\n|-|-|${'\n|c|'.repeat(130_000)}`)).toContain('¦b¦')
  })

  it('is left to the browser outside of a table, and for a selection of several lines', () => {
    expect(next('| a¦ | b |')).toBe(null)
    expect(next('```\n| a¦ |\n|---|\n```')).toBe(null)
    expect(next('| a | ¦b |\n|---|---|\n| c¦ | d |')).toBe(null)
  })
})

describe('Enter', () => {
  it('continues a list in its style', () => {
    expect(enter('- a¦')).toBe('- a\n- ¦')
    expect(enter('*   a¦')).toBe('*   a\n*   ¦')
    expect(enter('+\ta¦')).toBe('+\ta\n+\t¦')
    expect(enter('1. a¦')).toBe('1. a\n2. ¦')
    expect(enter('09) a¦')).toBe('09) a\n10) ¦')
    expect(enter('- [x] a¦')).toBe('- [x] a\n- [ ] ¦')
    expect(enter('3. [ ] a¦')).toBe('3. [ ] a\n4. [ ] ¦')
  })

  it('selects the cell below in a table, and adds a row after the last one', () => {
    expect(enter('| a¦ | b |\n|---|---|\n| c | d |')).toBe(
      '| a   | b   |\n| --- | --- |\n| ¦c¦   | d   |',
    )
    expect(enter('> | a | ¦b¦ |\n> | --- | --- |')).toBe(
      '> | a   | b   |\n> | --- | --- |\n> |     | ¦    |',
    )
    // At the ends of a row, and in rows that belong to no table, Enter adds a line.
    expect(enter('| a | b |\n|---|---|¦')).toBe(null)
    expect(enter('| a | b |\n|---|---|\n¦| c | d |')).toBe(null)
    expect(enter('| a¦ | b |')).toBe(null)
    expect(enter('- ```\n  | a¦ | b |\n  |---|---|\n  x')).toBe(
      '- ```\n  | a\n  ¦ | b |\n  |---|---|\n  x',
    )
  })

  it('indents code below the fence of a list item', () => {
    expect(enter('- ```¦')).toBe('- ```\n  ¦')
    expect(enter('> 1. ```js\n>    x¦')).toBe('> 1. ```js\n>    x\n>    ¦')
    expect(tab('- a\n- ```¦')).toBe('- a\n  - ```¦')
    expect(takesTab({ text: '```\n- a', selectionStart: 7, selectionEnd: 7 })).toBe(false)
  })

  it('ends a table in its empty last row', () => {
    expect(enter('| a |\n|---|\n| ¦ |\n\n')).toBe('| a |\n|---|\n\n¦')
    expect(enter('| a |\n|---|\n| ¦ |\n\nb')).toBe('| a |\n|---|\n\n¦\n\nb')
    expect(enter('| a |\n|---|\n| b |\n| ¦ |')).toBe('| a |\n|---|\n| b |\n\n¦')
    expect(enter('> | a |\n> |---|\n> | ¦ |\n>\n> b')).toBe('> | a |\n> |---|\n>\n> ¦\n>\n> b')
  })

  it('keeps the indentation of nested and quoted items', () => {
    expect(enter('- a\n  - b¦')).toBe('- a\n  - b\n  - ¦')
    expect(enter('1. a\n   1. b¦')).toBe('1. a\n   1. b\n   2. ¦')
    expect(enter('> - a¦')).toBe('> - a\n> - ¦')
    expect(enter('\t- a¦')).toBe('\t- a\n\t- ¦')
  })

  it('moves the text after the caret into the next item', () => {
    expect(enter('- one ¦two')).toBe('- one \n- ¦two')
    expect(enter('- one¦ two')).toBe('- one\n- ¦two')
    expect(enter('- ¦two')).toBe('- \n- ¦two')
  })

  it('replaces the selection', () => {
    expect(enter('- on¦e\n- t¦wo')).toBe('- on\n- ¦wo')
    expect(enter('plain ¦text¦')).toBe(null)
  })

  it('keeps the numbers of the following items, which the renderer recounts', () => {
    expect(enter('1. a¦\n2. b')).toBe('1. a\n2. ¦\n2. b')
    expect(enter('1. a¦\n   1. x\n2. b')).toBe('1. a\n2. ¦\n   1. x\n2. b')
    expect(enter('1. a¦\n2) b')).toBe('1. a\n2. ¦\n2) b')
  })

  it('repeats the number if the author repeats it', () => {
    expect(enter('1. a\n1. b¦')).toBe('1. a\n1. b\n1. ¦')
    expect(enter('0. a\n0. b\n0. c¦')).toBe('0. a\n0. b\n0. c\n0. ¦')
  })

  it('indents content that moves to an item with a wider number', () => {
    expect(enter('9. a¦\n   - b\n\n   text')).toBe('9. a\n10. ¦\n    - b\n\n    text')
  })

  it('ends a list on an empty item with a blank line, so that text does not continue the item', () => {
    expect(enter('- a\n- ¦')).toBe('- a\n\n¦')
    expect(enter('- [ ] a\n- [ ] ¦')).toBe('- [ ] a\n\n¦')
    expect(enter('1. a\n\n2. ¦')).toBe('1. a\n\n¦')
    expect(enter('> - a\n> - ¦')).toBe('> - a\n>\n> ¦')
    expect(enter('- ¦')).toBe('¦')
    expect(enter('text\n\n- ¦\n\nmore')).toBe('text\n\n¦\n\nmore')
  })

  it('moves an empty nested item up one level', () => {
    expect(enter('- a\n  - b\n  - ¦')).toBe('- a\n  - b\n- ¦')
    expect(enter('1. a\n   - b\n   - ¦\n2. c')).toBe('1. a\n   - b\n2. ¦\n2. c')
    expect(enter('- [x] a\n  - ¦')).toBe('- [x] a\n- [ ] ¦')
    expect(enter('- a\n  - b\n    - ¦')).toBe('- a\n  - b\n  - ¦')
  })

  it('continues a quote, and ends it on an empty line', () => {
    expect(enter('> a¦')).toBe('> a\n> ¦')
    expect(enter('> > a¦b')).toBe('> > a\n> > ¦b')
    expect(enter('> a\n> ¦')).toBe('> a\n\n¦')
    expect(enter('> > a\n> > ¦')).toBe('> > a\n>\n> ¦')
    expect(enter('> a\n>\n> ¦')).toBe('> a\n>\n¦')
    expect(enter('> ¦')).toBe('¦')
  })

  it('is left to the browser before the text of an item', () => {
    expect(enter('¦- a')).toBe(null)
    expect(enter('-¦ a')).toBe(null)
    expect(enter('- [¦ ] a')).toBe(null)
    expect(enter('  ¦1. a')).toBe(null)
    expect(enter('¦> a')).toBe(null)
  })

  it('is left to the browser elsewhere', () => {
    expect(enter('text¦')).toBe(null)
    expect(enter('  text¦')).toBe(null)
    expect(enter('| a | b |¦')).toBe(null)
    expect(enter('# a¦')).toBe(null)
    expect(enter('Title\n-¦')).toBe(null)
    expect(enter('- - -¦')).toBe(null)
    expect(enter('* * *¦')).toBe(null)
    expect(enter('-a¦')).toBe(null)
    expect(enter('1.a¦')).toBe(null)
    expect(enter('1234567890. a¦')).toBe(null)
  })

  it('keeps only the indentation in a code block', () => {
    expect(enter('```\n  if¦\n```')).toBe('```\n  if\n  ¦\n```')
    expect(enter('```\n\tif¦ x\n```')).toBe('```\n\tif\n\t¦ x\n```')
    expect(enter('```\n- a¦\n```')).toBe(null)
    expect(enter('~~~\n> a¦\n~~~')).toBe('~~~\n> a\n> ¦\n~~~')
    expect(enter('- a\n  ```\n  - x¦\n  ```')).toBe('- a\n  ```\n  - x\n  ¦\n  ```')
    expect(enter('```\nx\n```\n- a¦')).toBe('```\nx\n```\n- a\n- ¦')
  })

  it('does not count beyond the maximum of CommonMark', () => {
    expect(enter('999999999. a¦')).toBe('999999999. a\n999999999. ¦')
  })
})

describe('Backspace', () => {
  it('removes the mark of an empty item or quote', () => {
    expect(press(removeMarker, '- a\n- ¦')).toBe('- a\n¦')
    expect(press(removeMarker, '- a\n  1. [ ] ¦')).toBe('- a\n  ¦')
    expect(press(removeMarker, '> - ¦')).toBe('> ¦')
    expect(press(removeMarker, '> > ¦')).toBe('> ¦')
    expect(press(removeMarker, '> ¦')).toBe('¦')
  })

  it('is left to the browser elsewhere', () => {
    expect(press(removeMarker, '- a¦')).toBe(null)
    expect(press(removeMarker, '- ¦a')).toBe(null)
    expect(press(removeMarker, '¦')).toBe(null)
    expect(press(removeMarker, '  ¦')).toBe(null)
    expect(press(removeMarker, '-¦')).toBe(null)
    expect(press(removeMarker, '¦- ¦')).toBe(null)
  })
})

describe('Tab and Shift+Tab', () => {
  it('indent an item by the width of the mark above', () => {
    expect(tab('- a\n- b¦')).toBe('- a\n  - b¦')
    expect(tab('1. a\n2. b¦')).toBe('1. a\n   1. b¦')
    expect(tab('10. a\n11. b¦')).toBe('10. a\n    1. b¦')
    expect(tab('-   a\n-   b¦')).toBe('-   a\n    -   b¦')
    expect(tab('> - a\n> - b¦')).toBe('> - a\n>   - b¦')
    expect(tab('- [ ] a\n- [ ] b¦')).toBe('- [ ] a\n  - [ ] b¦')
  })

  it('move an item with its content', () => {
    expect(tab('- a\n- b¦\n  - c\n\n  text\n- d')).toBe('- a\n  - b¦\n    - c\n\n    text\n- d')
    expect(shiftTab('- a\n  - b¦\n    - c\n- d')).toBe('- a\n- b¦\n  - c\n- d')
  })

  it('give an item the mark of its new list', () => {
    expect(tab('1. a\n   1. x\n2. b¦\n3. c')).toBe('1. a\n   1. x\n   2. b¦\n3. c')
    expect(shiftTab('1. a\n   1. x\n   2. b¦\n   3. y')).toBe('1. a\n   1. x\n2. b¦\n   3. y')
    expect(shiftTab('1. a\n   - b¦\n2. c')).toBe('1. a\n2. b¦\n2. c')
    expect(tab('- a\n  1. x\n- b¦')).toBe('- a\n  1. x\n  2. b¦')
    expect(tab('9. a\n10. b¦\n    text')).toBe('9. a\n   1. b¦\n      text')
    expect(tab('1. a\n2. b¦\n   ```\n   1. x\n   ```')).toBe(
      '1. a\n   1. b¦\n      ```\n      1. x\n      ```',
    )
  })

  it('move all selected items', () => {
    expect(tab('- a\n¦- b\n- c¦')).toBe('- a\n  ¦- b\n  - c¦')
    expect(shiftTab('- a\n  ¦- b\n  - c¦')).toBe('- a\n¦- b\n- c¦')
    expect(tab('1. a\n¦2. b\n3. c¦\n4. d')).toBe('1. a\n   ¦1. b\n   2. c¦\n4. d')
  })

  it('revert each other', () => {
    for (const notation of [
      '1. a\n2. b¦\n3. c',
      '- a\n- b¦\n  - c\n- d',
      '> 1) a\n> 2) b¦',
      '- a\n¦- b\n- c¦',
    ]) {
      expect(shiftTab(tab(notation) ?? '')).toBe(notation)
    }
  })

  it('do nothing for the first item, or at the first level', () => {
    expect(tab('- a¦')).toBe(null)
    expect(tab('- a\n  - b¦')).toBe(null)
    expect(shiftTab('- a¦')).toBe(null)
    expect(shiftTab('  - a¦')).toBe('- a¦')
  })

  it('indent several lines outside of lists', () => {
    expect(tab('¦a\n\nb¦')).toBe('  ¦a\n\n  b¦')
    expect(shiftTab('  ¦a\n b\nc¦')).toBe('¦a\nb\nc¦')
    expect(tab('```\n¦- a\n- b¦\n```')).toBe('```\n  ¦- a\n  - b¦\n```')
  })

  it('leave the field outside of lists', () => {
    const takes = (notation: string): boolean => takesTab(parseCarets(notation, '¦'))
    expect(takes('- a¦')).toBe(true)
    expect(takes('¦a\nb¦')).toBe(true)
    expect(takes('a¦')).toBe(false)
    expect(takes('¦a¦')).toBe(false)
    expect(takes('> a¦')).toBe(false)
    expect(takes('```\n- a¦\n```')).toBe(false)
    expect(tab('a¦')).toBe(null)
    expect(takesTab(parseCarets('- a¦', '¦'), true)).toBe(false)
    expect(takesTab(parseCarets('- a\n  - b¦', '¦'), true)).toBe(true)
  })
})

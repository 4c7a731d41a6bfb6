import { describe, expect, it } from 'vitest'
import { run, runOn } from '../support/caret.ts'

describe('line commands', () => {
  it('mark every selected line', () => {
    expect(runOn('|one\ntwo|\nthree', 'unordered-list')).toBe('- |one\n- two|\nthree')
    expect(runOn('|one\ntwo|\nthree', 'task-list')).toBe('- [ ] |one\n- [ ] two|\nthree')
    expect(runOn('|one\ntwo|\nthree', 'quote')).toBe('> |one\n> two|\nthree')
    expect(runOn('|one\ntwo|\nthree', 'heading')).toBe('# |one\n# two|\nthree')
  })

  it('number the lines of an ordered list', () => {
    expect(runOn('|one\n\ntwo|', 'ordered-list')).toBe('1. |one\n\n2. two|')
  })

  it('skip a line if only its start is selected', () => {
    expect(runOn('|one\n|two', 'unordered-list')).toBe('- |one\n|two')
  })

  it('remove the marks in any spelling', () => {
    expect(runOn('|- a\n- b|', 'unordered-list')).toBe('|a\nb|')
    expect(runOn('* a|', 'unordered-list')).toBe('a|')
    expect(runOn('|1. a\n1. b|', 'ordered-list')).toBe('|a\nb|')
    expect(runOn('- [x] a|', 'task-list')).toBe('a|')
    expect(runOn('|- a\n  more\n- b|', 'unordered-list')).toBe('|a\n  more\nb|')
    expect(runOn('|1. a\n\n   more|', 'ordered-list')).toBe('|a\n\n   more|')
    expect(runOn('|> a\n>b|', 'quote')).toBe('|a\nb|')
  })

  it('convert one kind of list into another', () => {
    expect(runOn('|1. a\n2. b|', 'unordered-list')).toBe('- |a\n- b|')
    expect(runOn('- a|', 'task-list')).toBe('- [ ] a|')
    expect(runOn('- [ ] a|', 'ordered-list')).toBe('1. a|')
  })

  it('continue the list above, in its style', () => {
    expect(runOn('1. a\n2. b\nc|', 'ordered-list')).toBe('1. a\n2. b\n3. c|')
    expect(runOn('7) a\nc|', 'ordered-list')).toBe('7) a\n8) c|')
    expect(runOn('* a\nb|', 'unordered-list')).toBe('* a\n* b|')
    expect(runOn('1. a\n   - x\nc|', 'ordered-list')).toBe('1. a\n   - x\n2. c|')
    expect(runOn('1. a\n2. b\nc|', 'ordered-list', 'ordered-list')).toBe('1. a\n2. b\nc|')
  })

  it('keep nested content in its item when marks change their width', () => {
    expect(runOn('|- a\n  - b\n- c|', 'ordered-list')).toBe('1. |a\n   1. b\n2. c|')
    expect(runOn('|1. a\n   1. b\n2. c|', 'unordered-list')).toBe('- |a\n  - b\n- c|')
    expect(runOn('- a|\n  - b\n\n  text\n- c', 'ordered-list')).toBe(
      '1. a|\n   - b\n\n   text\n- c',
    )
    expect(runOn('|- a\n  more\n- b|', 'ordered-list')).toBe('1. |a\n   more\n2. b|')
    expect(runOn('> - a|\n\n  text', 'ordered-list')).toBe('> 1. a|\n\n  text')
    const ten = Array.from({ length: 10 }, () => '- a').join('\n')
    expect(
      run({ text: `${ten}\n  - b`, selectionStart: 0, selectionEnd: 39 }, 'ordered-list').text,
    ).toMatch(/\n10\. a\n {4}- b$/)
    expect(runOn('- a|\n  ```\n  1. x\n  ```', 'ordered-list')).toBe(
      '1. a|\n   ```\n   1. x\n   ```',
    )
  })

  it('set a heading level, or remove it', () => {
    expect(runOn('a|', 'heading-2')).toBe('## a|')
    expect(runOn('## a|', 'heading-2')).toBe('a|')
    expect(runOn('- a|', 'heading-6')).toBe('- ###### a|')
    expect(runOn('|# a\n\nb|', 'heading-1')).toBe('|a\n\nb|')
  })

  it('work inside quotes, indentation and lists', () => {
    expect(runOn('> a|', 'unordered-list')).toBe('> - a|')
    expect(runOn('> > - a|', 'unordered-list')).toBe('> > a|')
    expect(runOn('  a|', 'ordered-list')).toBe('  1. a|')
    expect(runOn('> a|', 'heading')).toBe('> # a|')
    expect(runOn('- a|', 'heading')).toBe('- # a|')
  })

  it('cycle through the heading levels', () => {
    const names = Array.from({ length: 7 }, () => 'heading' as const)
    expect(runOn('T|', ...names.slice(0, 3))).toBe('### T|')
    expect(runOn('T|', ...names.slice(0, 6))).toBe('###### T|')
    expect(runOn('T|', ...names)).toBe('T|')
  })

  it('set all selected lines to one level', () => {
    expect(runOn('|# a\n### b\nc|', 'heading')).toBe('## |a\n## b\n## c|')
  })
})

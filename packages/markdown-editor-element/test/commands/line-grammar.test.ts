import { describe, expect, it } from 'vitest'
import {
  alignmentOf,
  cellEnds,
  containerOf,
  DELIMITER_ROW,
  fencedBlocks,
  fenceOf,
  headingMarkOf,
  isBlank,
  quoteMarkOf,
  readLine,
  readLines,
  splitCells,
  THEMATIC_BREAK,
} from '../../src/commands/line-grammar.ts'

describe('readLine', () => {
  it('splits a line into quote marks, indentation, bullet and task box', () => {
    expect(readLine('a\n> >  1.  [x] done\nb', 2)).toEqual({
      ...{ start: 2, end: 19, quote: '> > ', indent: ' ', column: 1, bullet: '1.', gap: '  ' },
      ...{ task: '[x] ', mark: 7, content: 15, inner: 5 },
    })
  })

  it.each([
    ['- a', 2],
    ['-', 2],
    ['10. a', 4],
    ['-     code', 2],
    ['\t- a', 6],
    ['-\ta', 4],
  ])('returns the content column of %j', (line, inner) => {
    expect(readLine(line, 0).inner).toBe(inner)
  })

  it.each(['-a', '1a. b', '1234567890. a', '**bold**'])('finds no bullet in %j', (line) => {
    expect(readLine(line, 0).bullet).toBe('')
  })
})

it('readLines reads all lines up to the line that contains the end', () => {
  const starts = (end?: number) => Array.from(readLines('a\nb\n\nc', 0, end), ({ start }) => start)
  expect(starts()).toEqual([0, 2, 4, 5])
  expect(starts(2)).toEqual([0, 2])
})

it('a line of quote marks is blank, and its depth is the number of marks', () => {
  const line = readLine('> > ', 0)
  expect(isBlank(line)).toBe(true)
  expect(isBlank(readLine('> a', 0))).toBe(false)
})

it('finds the marks at the start of a line', () => {
  expect(containerOf('>   - a')).toBe('>   ')
  expect(quoteMarkOf('  > > a')).toBe('  > ')
  expect(headingMarkOf('## a')).toBe('## ')
  expect(headingMarkOf('####### a')).toBe('')
})

it.each([
  ['---', true],
  ['* * *', true],
  ['___ ', true],
  ['--', false],
  ['-*-', false],
  ['--- a', false],
])('THEMATIC_BREAK.test(%j) is %j', (content, expected) => {
  expect(THEMATIC_BREAK.test(content)).toBe(expected)
})

describe('fences', () => {
  it.each([
    ['```js', '```'],
    ['> ~~~~ a ~', '~~~~'],
    ['``` a`b', ''],
    ['``', ''],
  ])('finds the fence of %j', (line, fence) => {
    expect(fenceOf(line)).toBe(fence)
  })

  it('finds blocks, and ends an unclosed one at the end of the text', () => {
    const text = 'a\n```\nb\n```\n\n~~~~\n~~~\nc'
    const parts = fencedBlocks(text).map(({ start, end, from, to }) => [
      text.slice(start, end),
      text.slice(from, to),
    ])
    expect(parts).toEqual([
      ['```\nb\n```', 'b'],
      ['~~~~\n~~~\nc', '~~~\nc'],
    ])
    const inList = '- ```\n  b\n  ```\n1. ~~~\n   c\nd'
    expect(fencedBlocks(inList).map(({ start, end }) => inList.slice(start, end))).toEqual([
      '- ```\n  b\n  ```',
      '1. ~~~\n   c',
    ])
    expect(fencedBlocks('```\n```')).toEqual([{ start: 0, end: 7, from: 4, to: 4 }])
  })
})

describe('tables', () => {
  it.each([
    ['|---|:-:|', true],
    ['-|-', true],
    [':--', true],
    ['| - - |', false],
    ['| a |', false],
    ['', false],
  ])('DELIMITER_ROW.test(%j) is %j', (content, expected) => {
    expect(DELIMITER_ROW.test(content)).toBe(expected)
  })

  it('splits a row at pipes that are not escaped', () => {
    expect(splitCells('| a | b \\| c ||')).toEqual(['a', 'b \\| c', ''])
    expect(splitCells('a|b')).toEqual(['a', 'b'])
    expect(cellEnds('a \\| b | c |')).toEqual([7, 11])
  })

  it('reads alignments', () => {
    expect(['---', ':--', '-:', ':-:'].map(alignmentOf)).toEqual([null, 'left', 'right', 'center'])
  })
})

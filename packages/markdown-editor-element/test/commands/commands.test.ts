import { describe, expect, it } from 'vitest'
import { TEXT_COMMANDS } from '../../src/commands/commands.ts'
import { parseCarets, run, runOn } from '../support/caret.ts'

describe('isActive', () => {
  const active = (notation: string): string[] =>
    Object.entries(TEXT_COMMANDS)
      .filter(([, { isActive }]) => isActive?.(parseCarets(notation)))
      .map(([name]) => name)

  it('returns the formats of the selection', () => {
    expect(active('**_|x|_**')).toEqual(['bold', 'italic'])
    expect(active('> - [ ] x|')).toEqual(['task-list', 'quote'])
    expect(active('## x|')).toEqual(['heading', 'heading-2'])
    expect(active('**one t|wo**')).toEqual(['bold'])
    expect(active('```\nx|\n```')).toEqual(['code-block'])
    expect(active('plain|')).toEqual([])
  })
})

describe('flaws of the original editor (F39)', () => {
  it('inserting a block never deletes the selection (F39)', () => {
    for (const name of [
      'horizontal-rule',
      'table',
      'details',
      'code-block',
      'embed',
      'line-break',
      'footnote',
    ] as const) {
      const { text } = run(parseCarets('one |two\nthree| four'), name)
      for (const word of ['one', 'two', 'three', 'four']) expect(text).toContain(word)
    }
  })

  it('a new code block contains the selection and the caret (F39)', () => {
    expect(runOn('|', 'code-block')).toBe('```\n|\n```')
    expect(runOn('|a\nb|', 'code-block')).toBe('```\n|a\nb|\n```')
  })

  it('ordered lists count up (F39)', () => {
    expect(runOn('|a\nb\nc|', 'ordered-list')).toBe('1. |a\n2. b\n3. c|')
  })

  it('a heading replaces another level (F39)', () => {
    expect(runOn('# a|', 'heading-2')).toBe('## a|')
    expect(runOn('## a|', 'heading-3')).toBe('### a|')
  })

  it('a footnote gets the next free number (F39)', () => {
    expect(runOn('a[^1]| b[^1]\n\n[^1]: x', 'footnote')).toBe('a[^1][^2] b[^1]\n\n[^1]: x\n[^2]: |')
    expect(runOn('a[^3]|\n\n[^3]: x\n', 'footnote')).toBe('a[^3][^4]\n\n[^3]: x\n\n[^4]: |')
    expect(runOn('a|', 'footnote')).toBe('a[^1]\n\n[^1]: |')
  })

  it('a selection that includes the mark is not marked again (F39)', () => {
    expect(runOn('|**b**|', 'bold')).toBe('|b|')
    expect(runOn('|*b*|', 'italic')).toBe('|b|')
    expect(runOn('|`b`|', 'code')).toBe('|b|')
  })
})

import { describe, expect, it } from 'vitest'
import { runOn } from '../support/caret.ts'

describe('code-block', () => {
  it('fences the selected lines', () => {
    expect(runOn('one\n|two|\nthree', 'code-block')).toBe('one\n```\n|two|\n```\nthree')
    expect(runOn('|', 'code-block')).toBe('```\n|\n```')
  })

  it('uses more backticks than the text contains', () => {
    expect(runOn('|```\na\n```\nb|', 'code-block')).toBe('````\n|```\na\n```\nb|\n````')
  })

  it('removes the fences from any position inside the block', () => {
    expect(runOn('x\n```ts\na\n|b\n```\ny', 'code-block')).toBe('x\na\n|b\ny')
    expect(runOn('|~~~\na\n~~~|', 'code-block')).toBe('|a|')
    expect(runOn('```\na|', 'code-block')).toBe('a|')
    expect(runOn('- ```|\n  ```', 'code-block')).toBe('- |')
    expect(runOn('- ```\n    a\n  b|\n  ```\nc', 'code-block')).toBe('-   a\n  b|\nc')
  })

  it('is what the code command does with several lines', () => {
    expect(runOn('|a\nb|', 'code')).toBe('```\n|a\nb|\n```')
    expect(runOn('```\n|a\nb|\n```', 'code')).toBe('|a\nb|')
  })

  it('stays inside a quote', () => {
    expect(runOn('> |a|', 'code-block')).toBe('> ```\n> |a|\n> ```')
  })
})

describe('blocks', () => {
  it('are inserted after the current line, between empty lines, and delete nothing', () => {
    expect(runOn('one |two| x\n\nthree', 'horizontal-rule')).toBe('one two x\n\n---\n\n|\n\nthree')
    expect(runOn('|', 'horizontal-rule')).toBe('---\n\n|')
    expect(runOn('one\n|\nthree', 'horizontal-rule')).toBe('one\n\n---\n\n|\n\nthree')
  })

  it('stay inside a quote or a list item', () => {
    expect(runOn('> - a|\n> - b', 'horizontal-rule')).toBe('> - a\n>\n>   ---\n>\n>   |\n>\n> - b')
  })

  it('fill an empty list item', () => {
    expect(runOn('- |', 'horizontal-rule')).toBe('- ---\n\n  |')
  })

  it('are not indented code inside a task', () => {
    expect(runOn('- [ ] a|', 'horizontal-rule')).toBe('- [ ] a\n\n  ---\n\n  |')
  })

  it('are not inserted between the lines of a block', () => {
    expect(runOn('|', 'horizontal-rule', 'horizontal-rule')).toBe('---\n\n---\n\n|')
    expect(runOn('o|ne\ntwo\n===\nx', 'horizontal-rule')).toBe('one\ntwo\n===\nx\n\n---\n\n|')
    expect(runOn('# o|ne\ntwo', 'horizontal-rule')).toBe('# one\n\n---\n\n|\n\ntwo')
    expect(runOn('```\na|\n\nb\n```\nx', 'horizontal-rule')).toBe(
      '```\na\n\nb\n```\n\n---\n\n|\n\nx',
    )
    expect(runOn('- a|\n  b\n- c', 'horizontal-rule')).toBe('- a\n  b\n\n  ---\n\n  |\n\n- c')
  })

  it('wrap a whole code block in details if only a part is selected', () => {
    const folded = (block: string): string =>
      `<details>\n<summary>Click to expand</summary>\n\n${block}\n\n</details>`
    expect(runOn('```\n|a|\nb\n```', 'details').replaceAll('|', '')).toBe(folded('```\na\nb\n```'))
    expect(runOn('x\n|y|\nz', 'details').replaceAll('|', '')).toBe(`x\n\n${folded('y')}\n\nz`)
  })

  it('wrap the selected lines in details and select the summary', () => {
    expect(runOn('|one\ntwo|', 'details')).toBe(
      '<details>\n<summary>|Click to expand|</summary>\n\none\ntwo\n\n</details>',
    )
    expect(runOn('|', 'details')).toBe(
      '<details>\n<summary>|Click to expand|</summary>\n\nContent here\n\n</details>\n\n',
    )
  })
})

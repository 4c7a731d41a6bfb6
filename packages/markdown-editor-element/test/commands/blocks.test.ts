import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { formatCarets, parseCarets, run, runOn } from '../support/caret.ts'

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
    const table = (inner: string): string =>
      `${inner}Header  Header \n   ------  ------ \n   Cell    Cell   \n\n  `
    expect(runOn('- |', 'table').replaceAll('|', '')).toBe(table('-  '))
  })

  it.each([
    ['table', '<td>Cell</td>'],
    ['horizontal-rule', '<hr>'],
    ['details', '<summary>'],
  ] as const)(
    'replace the box of an empty task, which would be text before them: %s',
    (name, html) => {
      for (const start of ['- [ ] |', '> 1. [x] |', '- [x] a\n  * [ ] |\n\nb']) {
        const rendered = new DefaultRenderer().render(run(parseCarets(start), name).text)
        expect(rendered).toContain(html)
        expect(rendered).not.toContain('[')
      }
    },
  )

  it('are not indented code inside a task', () => {
    expect(runOn('- [ ] a|', 'horizontal-rule')).toBe('- [ ] a\n\n  ---\n\n  |')
  })

  it('select the first header cell of a table', () => {
    expect(formatCarets(run(parseCarets('¦', '¦'), 'table'), '¦')).toBe(
      '| ¦Header¦ | Header |\n| ------ | ------ |\n| Cell   | Cell   |\n\n',
    )
  })

  it('are not inserted between the lines of a block', () => {
    const table = '| Header | Header |\n| ------ | ------ |\n| Cell   | Cell   |'
    expect(runOn('|', 'table', 'table').replaceAll('|', '')).toBe(
      `${table}\n\n${table}\n\n`.replaceAll('|', ''),
    )
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

describe('embed', () => {
  const frame = (url: string, title: string): string =>
    `<iframe src="${url}" title="${title}" width="100%" height="400" allowfullscreen></iframe>|`

  it('creates a frame for the selected address of a known host', () => {
    expect(runOn('|https://youtu.be/dQw4w9WgXcQ?t=10|', 'embed')).toBe(
      frame('https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=10', 'YouTube embed'),
    )
    expect(runOn('|https://vimeo.com/12345|', 'embed')).toBe(
      frame('https://player.vimeo.com/video/12345?dnt=1', 'Vimeo embed'),
    )
    expect(runOn('|https://codepen.io/user/pen/AbCdE|', 'embed')).toBe(
      frame('https://codepen.io/user/embed/AbCdE?default-tab=result', 'CodePen embed'),
    )
  })

  it('compares hosts as a browser parses them', () => {
    expect(runOn('|https://evil.example/?youtube.com/watch?v=abc|', 'embed')).toContain(
      'embed/VIDEO_ID',
    )
    expect(runOn('|https://www.youtube.com@evil.example/watch?v=abc|', 'embed')).toContain(
      'embed/VIDEO_ID',
    )
    expect(runOn('|https://www.youtube.com/watch?v="onload="x|', 'embed')).toContain(
      'embed/VIDEO_ID',
    )
  })
})

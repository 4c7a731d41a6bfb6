import { describe, expect, it } from 'vitest'
import { applyEdit } from '../../src/commands/edit.ts'
import { type Clip, pasteEdit } from '../../src/paste/paste.ts'
import { formatCarets, parseCarets } from '../support/caret.ts'
import { parseTree } from './support/parse.ts'

/** Returns null if the plain text is pasted. */
function paste(notation: string, clip: Partial<Clip>): string | null {
  const state = parseCarets(notation, '¦')
  const edit = pasteEdit({ html: '', text: '', ...clip }, state, {
    origin: 'https://here.example',
    parse: parseTree,
  })
  return edit === null ? null : formatCarets(applyEdit(state, edit), '¦')
}

const text = (content: string): Partial<Clip> => ({ text: content })
const html = (content: string): Partial<Clip> => ({ html: content })

describe('an address pasted on a selection', () => {
  it.each([
    ['see ¦this¦ now', 'https://a.example/b', 'see [this](https://a.example/b)¦ now'],
    ['see¦ this ¦now', ' https://a.example\n', 'see [this](https://a.example)¦ now'],
    ['¦a **b**¦', 'http://a.example/x_(y)', '[a **b**](http://a.example/x_(y))¦'],
    ['¦a¦', 'https://a.example/x)(', '[a](https://a.example/x%29%28)¦'],
    ['¦a ] b¦', 'https://a.example', '[a \\] b](https://a.example)¦'],
    ['¦a [b] c¦', 'https://a.example', '[a [b] c](https://a.example)¦'],
    ['¦Ada¦', 'mailto:ada@a.example', '[Ada](mailto:ada@a.example)¦'],
    ['¦call¦', 'tel:+43123', '[call](tel:+43123)¦'],
    ['¦![alt](i.png)¦', 'https://a.example', '[![alt](i.png)](https://a.example)¦'],
    ['- ¦item¦', 'https://a.example', '- [item](https://a.example)¦'],
  ])('%s', (before, address, after) => {
    expect(paste(before, text(address))).toBe(after)
  })

  it.each([
    ['nothing selected', 'a ¦¦b', 'https://a.example'],
    ['another address selected', '¦https://b.example¦', 'https://a.example'],
    ['several lines selected', '¦a\nb¦', 'https://a.example'],
    ['white space selected', 'a¦ ¦b', 'https://a.example'],
    ['in a destination', '[a](¦old¦)', 'https://a.example'],
    ['in a destination that is not finished', 'c [a](¦¦', 'https://a.example'],
    ['in the label of a link', '[a ¦b¦](https://b.example)', 'https://a.example'],
    ['a link selected', '¦[a](https://b.example)¦', 'https://a.example'],
    ['in a code span', 'a `b ¦c¦` d', 'https://a.example'],
    ['in a fence', '```\n¦a¦\n```', 'https://a.example'],
    ['in an unclosed fence', 'x\n\n~~~ js\n¦a¦', 'https://a.example'],
    ['words with an address', '¦a¦', 'see https://a.example'],
    ['a scheme that links cannot have', '¦a¦', 'javascript:alert(1)'],
    ['only a scheme', '¦a¦', 'https://'],
  ])('is pasted unchanged: %s', (_, before, address) => {
    expect(paste(before, text(address))).toBe(null)
  })

  it('has priority over the HTML beside it, and is a link in a list item', () => {
    const link = '<a href="https://a.example">Title</a>'
    expect(paste('¦a¦', { html: link, text: 'https://a.example' })).toBe('[a](https://a.example)¦')
    expect(paste('- a\n\n    ¦b¦', text('https://a.example'))).toBe(
      '- a\n\n    [b](https://a.example)¦',
    )
  })
})

describe('pasted HTML', () => {
  const bold = html('<meta charset="utf-8"><b>b</b>')
  const table = html('<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>')
  const rows = '| a | b |\n| --- | --- |\n| c | d |'
  const list = html('<ul><li>x</li><li>y</li></ul>')

  it.each([
    ['in a line', 'a ¦¦ c', bold, 'a **b**¦ c'],
    ['on a selection', 'a ¦x\ny¦ c', bold, 'a **b**¦ c'],
    ['blocks in an empty text', '¦¦', table, `${rows}¦`],
    ['blocks after a line', 'a¦¦', table, `a\n\n${rows}¦`],
    ['blocks in a line', 'a ¦¦b', table, `a \n\n${rows}¦\n\nb`],
    ['blocks on an empty line', 'a\n¦¦\nb', table, `a\n\n${rows}¦\n\nb`],
    ['blocks between empty lines', 'a\n\n¦¦\n\nb', table, `a\n\n${rows}¦\n\nb`],
    ['blocks in a quote', '> a¦¦', list, '> a\n>\n> - x\n> - y¦'],
    ['blocks in an item', '- a\n- b¦¦', table, `- a\n- b\n\n  ${rows.replaceAll('\n', '\n  ')}¦`],
    ['a list in an empty item', '- a\n- ¦¦', list, '- a\n- x\n- y¦'],
    ['lines in an item', '1. ¦¦', html('<b>a</b><br>b'), '1. **a**\\\n   b¦'],
    ['a line in a cell', '| a | ¦¦ |', html('<b>x|y</b><br>z'), '| a | **x\\|y**<br>z¦ |'],
  ])('is inserted %s', (_, before, clip, after) => {
    expect(paste(before, clip)).toBe(after)
  })

  it.each([
    ['in a fence', '```js\n¦¦\n```', bold],
    ['in a code span', '`a ¦¦`', bold],
    ['at the space of a code span', '``¦¦ `a` ``', bold],
    ['if it adds nothing to the text', '¦¦', { html: '<p>*a*</p><p>b</p>', text: '*a*\n\nb' }],
    ['if it is one code span', '¦¦', { html: '<code>a_b</code>', text: 'a_b' }],
    [
      'if it is one line of a code block',
      '¦¦',
      { html: '<pre><code>npm i</code></pre>', text: 'npm i' },
    ],
    ['if it contains blocks and the caret is in a cell', '| a | ¦¦ |', table],
    [
      'if it has no visible content',
      '¦¦',
      { html: '<p style="display:none"><b>x</b></p>', text: 'x' },
    ],
  ])('is pasted as plain text %s', (_, before, clip) => {
    expect(paste(before, clip)).toBe(null)
  })

  it('keeps the spaces around the copied text', () => {
    expect(paste('a¦¦c', { html: '<b>b</b>', text: ' b ' })).toBe('a **b** ¦c')
  })

  it('escapes brackets if the text defines labels', () => {
    const clip = html('<b>b</b> [note] c')
    expect(paste('¦¦', clip)).toBe('**b** [note] c¦')
    expect(paste('¦¦\n\n[note]: /x', clip)).toBe('**b** \\[note] c¦\n\n[note]: /x')
  })

  it('shortens addresses of its own site, and drops other relative addresses', () => {
    const link = (href: string): string | null =>
      paste('¦¦', { html: `<a href="${href}">a</a> <b>b</b>` })
    expect(link('https://here.example/media/a.png')).toBe('[a](/media/a.png) **b**¦')
    expect(link('https://here.example.evil/')).toBe('[a](https://here.example.evil/) **b**¦')
    for (const href of [
      '/x',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/x',
      ' java\nscript:x',
      '#x',
    ]) {
      expect(link(href)).toBe('a **b**¦')
    }
  })
})

import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../src/index.ts'

const renderer = new DefaultRenderer()
const open = '<input class="task-list-item-checkbox" type="checkbox" disabled>'
const done = '<input class="task-list-item-checkbox" type="checkbox" disabled checked>'
const item = '<li class="task-list-item">'

function itemsOf(markdown: string): string {
  const html = renderer.render(markdown)
  expect(html).toMatch(/^<[uo]l class="contains-task-list">\n[\s\S]*\n<\/[uo]l>$/)
  return html.slice(html.indexOf('\n') + 1, html.lastIndexOf('\n'))
}

describe('task lists', () => {
  it('have disabled checkboxes that are labeled by their text', () => {
    expect(itemsOf('- [ ] a\n- [x] b\n- [X] c\n- d')).toBe(
      `${item}<label>${open} a</label></li>\n${item}<label>${done} b</label></li>\n` +
        `${item}<label>${done} c</label></li>\n<li>d</li>`,
    )
  })

  it.each([
    ['numbers', '1. [ ] a', `${item}<label>${open} a</label></li>`],
    [
      'empty lines between items',
      '- [ ] a\n\n- b',
      `${item}\n<p><label>${open} a</label></p>\n</li>\n<li>\n<p>b</p>\n</li>`,
    ],
    ['several lines', '- [ ] a\n  b', `${item}<label>${open} a\nb</label></li>`],
    ['text on the next line', '- [ ]\n  a', `${item}<label>${open}\na</label></li>`],
    [
      'several paragraphs',
      '- [ ] a\n\n  b',
      `${item}\n<p><label>${open} a</label></p>\n<p>b</p>\n</li>`,
    ],
    [
      'a list in it',
      '- [ ] a\n  - b',
      `${item}<label>${open} a</label>\n<ul>\n<li>b</li>\n</ul>\n</li>`,
    ],
    ['emphasis', '- [ ] *a*', `${item}<label>${open} <em>a</em></label></li>`],
    [
      'a link and an image',
      '- [ ] [a](#b) ![c](/d)',
      `${item}<label>${open} <a href="#user-content-b">a</a> <img src="/d" alt="c"></label></li>`,
    ],
    [
      'HTML of text',
      '- [ ] <kbd>a</kbd><!-- b -->',
      `${item}<label>${open} <kbd>a</kbd></label></li>`,
    ],
    ['HTML that is never closed', '- [ ] <b>a', `${item}<label>${open} <b>a</b></label></li>`],
    [
      'HTML without text',
      '- [ ] <video src="/a"></video>',
      `${item}${open} <video src="/a"></video></li>`,
    ],
    [
      'another control',
      '- [ ] <input type=checkbox disabled>',
      `${item}${open} <input type="checkbox" disabled></li>`,
    ],
  ])('with %s', (_, markdown, html) => {
    expect(itemsOf(markdown)).toBe(html)
  })

  it('mark the list that contains the task, not the outer list', () => {
    expect(renderer.render('- a\n  1. [x] b')).toBe(
      `<ul>\n<li>a\n<ol class="contains-task-list">\n${item}<label>${done} b</label></li>\n</ol>\n</li>\n</ul>`,
    )
  })

  it.each([
    '- [ ]a',
    '- a [ ] b',
    '- [ ]',
    '- [y] a',
    '- [  ] a',
    '- \\[ ] a',
    '- a\n\n  [ ] b',
    '- > [ ] a',
    '- # [ ] a',
    '[ ] a',
  ])('are not created from %j', (markdown) => {
    expect(renderer.render(markdown)).not.toContain('<input')
  })
})

it('a link with the text of a checkbox is not a task', () => {
  expect(renderer.render('- [x](a)')).not.toContain('<input')
})

it('a footnote has a label without spaces; with spaces it is the label of a link', () => {
  expect(renderer.render('x[^a b]\n\n[^a b]: c')).toBe(
    '<p>x<a href="c" rel="nofollow ugc noopener">^a b</a></p>',
  )
})

import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../src/index.ts'
import { addAlerts } from '../src/syntax/alerts.ts'

const renderer = new DefaultRenderer()

function alert(kind: string, title: string, content: string): string {
  return (
    `<div class="markdown-alert markdown-alert-${kind}">\n<p class="markdown-alert-title">${title}</p>\n` +
    `${content}\n</div>`
  )
}

describe('alerts', () => {
  it.each([
    ['NOTE', 'note', 'Note'],
    ['TIP', 'tip', 'Tip'],
    ['IMPORTANT', 'important', 'Important'],
    ['WARNING', 'warning', 'Warning'],
    ['CAUTION', 'caution', 'Caution'],
    ['NoTe', 'note', 'Note'],
  ])('[!%s]', (marker, kind, title) => {
    expect(renderer.render(`> [!${marker}]\n> a *b*\n> c`)).toBe(
      alert(kind, title, '<p>a <em>b</em>\nc</p>'),
    )
  })

  it.each([
    ['white space after the marker', '> [!NOTE] \t \n> a', '<p>a</p>'],
    ['white space in front of it', '>    [!NOTE]\n> a', '<p>a</p>'],
    ['no white space', '>[!NOTE]\n>a', '<p>a</p>'],
    ['a lazy line', '> [!NOTE]\na', '<p>a</p>'],
    ['an empty line after it', '> [!NOTE]\n>\n> a', '<p>a</p>'],
    ['a list right after it', '> [!NOTE]\n> - a', '<ul>\n<li>a</li>\n</ul>'],
    ['code', '> [!NOTE]\n>\n>     a', '<pre><code>a\n</code></pre>'],
    ['a quote in it', '> [!NOTE]\n> > a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    [
      'the marker again, in a quote',
      '> [!NOTE]\n> > [!TIP]\n> > a',
      '<blockquote>\n<p>[!TIP]\na</p>\n</blockquote>',
    ],
    ['the marker again', '> [!NOTE]\n> [!TIP]\n> a', '<p>[!TIP]\na</p>'],
    ['the marker again, apart', '> [!NOTE]\n>\n> [!TIP]', '<p>[!TIP]</p>'],
  ])('with %s', (_, markdown, content) => {
    expect(renderer.render(markdown)).toBe(alert('note', 'Note', content))
  })

  it('can be in raw HTML', () => {
    const html = renderer.render('<details>\n\n> [!NOTE]\n> a\n\n</details>')
    expect(html).toBe(`<details>\n${alert('note', 'Note', '<p>a</p>')}\n</details>`)
  })

  it('end where the quote ends', () => {
    expect(renderer.render('> [!TIP]\n> a\n\n> b')).toBe(
      `${alert('tip', 'Tip', '<p>a</p>')}\n<blockquote>\n<p>b</p>\n</blockquote>`,
    )
    expect(renderer.render('> a\n\n> [!TIP]\n> b')).toBe(
      `<blockquote>\n<p>a</p>\n</blockquote>\n${alert('tip', 'Tip', '<p>b</p>')}`,
    )
  })

  it.each([
    ['empty', '> [!NOTE]'],
    ['empty, with empty lines', '> [!NOTE]\n>\n>'],
    ['with text after the marker', '> [!NOTE] a\n> b'],
    ['with text in front of it', '> a [!NOTE]\n> b'],
    ['with an unknown marker', '> [!DANGER]\n> a'],
    ['with spaces in the marker', '> [! NOTE]\n> a'],
    ['with an escaped marker', '> \\[!NOTE]\n> a'],
    ['with a marker in code', '> `[!NOTE]`\n> a'],
    ['with a marker in bold', '> **[!NOTE]**\n> a'],
    ['with a heading for a marker', '> # [!NOTE]\n> a'],
    ['with the marker on the second line', '> a\n> [!NOTE]'],
    ['with the marker in a list', '> - [!NOTE]\n>   a'],
    ['with a marker that is a link', '> [!NOTE]\n> a\n\n[!note]: /u'],
    ['in a quote', '> > [!NOTE]\n> > a'],
    ['in a list', '- > [!NOTE]\n  > a'],
    ['without a quote', '[!NOTE]\na'],
  ])('are not created from a quote %s', (_, markdown) => {
    expect(renderer.render(markdown)).not.toContain('markdown-alert')
  })

  it('have the configured titles as plain text', () => {
    const parser = new MarkdownIt()
    const titles = { note: 'Hinweis', tip: '<b>', important: 'I', warning: 'W', caution: 'C' }
    addAlerts(parser, titles)
    expect(parser.render('> [!NOTE]\n> a')).toContain('<p class="markdown-alert-title">Hinweis</p>')
    expect(parser.render('> [!TIP]\n> a')).toContain(
      '<p class="markdown-alert-title">&lt;b&gt;</p>',
    )
  })

  it('keep source lines separate', () => {
    const parser = new MarkdownIt()
    addAlerts(parser)
    const lines = parser
      .parse('x\n\n> [!NOTE]\n> a\n> b', {})
      .flatMap(({ type, map }) => (map ? [[type, ...map]] : []))
    expect(lines.slice(2)).toEqual([
      ['alert_open', 2, 5],
      ['alert_title_open', 2, 3],
      ['inline', 2, 3],
      ['paragraph_open', 3, 5],
      ['inline', 3, 5],
    ])
  })
})

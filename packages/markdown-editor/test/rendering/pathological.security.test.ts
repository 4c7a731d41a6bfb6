import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer, type DefaultRendererOptions } from '../../src/rendering/index.ts'

const renderer = new DefaultRenderer()
const size = 100_000
const fill = (unit: string, length = size) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const nest = (open: string, close: string) => {
  const count = Math.floor(size / (open.length + close.length))
  return open.repeat(count) + close.repeat(count)
}

const repeated: readonly string[] = [
  ...[
    '[',
    '![',
    '](',
    '[a](',
    '[[]',
    '[a]: b\n',
    '[^',
    '[^1]: ',
    '[x](<',
    '*a',
    '**a ',
    '*a _b **c __d ',
    '`',
    '`a``b',
    '~',
    '~a',
    '^a',
  ],
  ...[
    '==a ',
    '<',
    '<a ',
    '<a href="',
    `<a b="<a b='`,
    '<b>',
    '<b></i>',
    '</b>',
    '<div>\n',
    '<table><tr><td>',
    '<script>',
    '<iframe>',
  ],
  ...[
    '<svg><title>',
    '<!--',
    '<!x',
    '<![CDATA[',
    '<?',
    '&',
    '&#',
    '\\',
    '> ',
    '>\n',
    '- ',
    '- a\n',
    '> - ',
    '1. ',
    '# a\n',
    '|a|a\n|-|-\n',
  ],
  ...[
    'a|',
    '```\n',
    'www.',
    'http://a.b/(',
    'a@',
    'a@b.c ',
    '- [ ] a\n',
    '<details>\n\n',
    '<a href=x>',
    '<input type=checkbox disabled>',
  ],
]

const shaped: Readonly<Record<string, string>> = {
  'nested brackets': nest('[', ']'),
  'nested links': nest('[', '](x)'),
  'nested elements': nest('<b>', '</b>'),
  'nested marks': nest('==a ', ' a=='),
  'open elements, then other end tags': fill('<b>', size / 2) + fill('</i>', size / 2),
  'one attribute list': `<div ${fill('a ')}>`,
  'white space in a tag': `<div><a${fill(' ')}`,
  'inline comments': `x ${fill('<!--')}`,
  'inline scripts with one end': `x ${fill('<script>')}</script>`,
  'one word': fill('a'),
  'a long superscript': `^${fill('a')}`,
  'references to one footnote': `[^1]: x\n\n${fill('[^1]')}`,
  'numbered headings of one name': fill('# a-1\n', size / 2) + fill('# a\n', size / 2),
  'a wide table': `${fill('a|', size / 2)}\n${fill('-|', size / 2)}\n`,
  'a table of empty cells': `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('a\n', size - 4000)}`,
}

// Each takes a small part of a second; what is not linear takes minutes. The deadline only tells these apart.
describe('100 kB of', () => {
  it.each([...repeated.map((unit) => [unit, fill(unit)]), ...Object.entries(shaped)])(
    '%j is rendered in time',
    (_name, text = '') => {
      expect(renderer.render(text)).toBeTypeOf('string')
    },
    10_000,
  )
})

const longest = 256 * 1024
const definition = (size: number) => `[a]: /${'x'.repeat(size)}\n\n`
const emptyCells = `${'|a'.repeat(256)}|\n${'|:-:'.repeat(256)}|\n${'x\n'.repeat(255)}\n`

const growing: Readonly<Record<string, string>> = {
  'links to one long definition': definition(longest / 2) + fill('[a] ', longest / 2 - 8),
  'links to one long title': `[a]: /x "${'&'.repeat(longest / 2)}"\n\n${fill('[a]', longest / 2 - 20)}`,
  'links to one URL that is encoded': `[a]: /${'中'.repeat(longest / 2)}\n\n${fill('[a] ', longest / 2 - 8)}`,
  'images of one long definition': definition(longest / 2) + fill('![a] ', longest / 2 - 8),
  'links in brackets to one long definition': definition(longest / 2) + fill('[[[a]]] ', longest / 2 - 8),
  'links to many definitions':
    Array.from({ length: 100 }, (_, index) => `[${index}]: /${'x'.repeat(1000)}\n`).join('') +
    fill(`\n${Array.from({ length: 100 }, (_, index) => `[${index}]`).join('')}`, longest / 2),
  'references to one footnote': `[^a]: x\n\n${fill('[^a]', longest - 20)}`,
  'tables of empty cells': fill(emptyCells, longest),
  'quoted tables of empty cells': fill(emptyCells.replace(/^/gm, '> '), longest),
  'small tables': fill('a|b\n-|-\n', longest),
  'a table of one column that is filled': `a|b\n-|-\n${fill('x\n', longest - 20)}`,
  'lists of one item': fill('+\n-\n', longest),
  'lists in lists': fill('+ -\n- +\n', longest),
  'rules and lists': fill('* * * a\n', longest),
  'headings of one name': fill('# a\n', longest),
  'frames of one length': fill('<iframe src=//codepen.io/a/embed/b>', longest),
  'quotation marks': fill('"', longest),
}

// The process is blocked while a text is rendered, and every reader of the page gets the result.
describe('the longest text that is read as markdown, of', () => {
  it.each(Object.entries(growing))(
    '%s, takes bounded time and gives bounded HTML',
    (_name, text) => {
      expect(text.length).toBeLessThanOrEqual(longest)
      const before = process.cpuUsage()
      const html = renderer.render(text)
      const { user, system } = process.cpuUsage(before)
      expect(html.length).toBeLessThan(32 * text.length + 4_000_000)
      expect((user + system) / 1e6).toBeLessThan(15)
    },
    60_000,
  )
})

describe('link definitions', () => {
  const links = (html: string) => html.split('<a ').length - 1

  it('may add 100,000 characters to a short text; then references stay text', () => {
    const html = renderer.render(`${definition(9_999)}${'[a] '.repeat(20)}`)
    expect(links(html)).toBe(10)
    expect(html).toMatch(/(?: \[a\]){10}<\/p>$/)
  })

  it('may add as much as a long text has', () => {
    const text = definition(9_999) + '[a] '.repeat(47_500)
    expect(links(renderer.render(text))).toBe(Math.floor(text.length / 10_000))
  })

  it('count their titles, and images like links', () => {
    const html = renderer.render(`[a]: /${'x'.repeat(4_999)} "${'y'.repeat(5_000)}"\n\n${'[a] ![a] '.repeat(20)}`)
    expect(links(html)).toBe(5)
    expect(html.split('<img ')).toHaveLength(6)
  })

  it('leave short ones their place when a long one has none', () => {
    const html = renderer.render(`${definition(60_000)}[b]: /b\n\n[a] [a] [b]`)
    expect(links(html)).toBe(2)
    expect(html).toContain(' [a] <a href="/b"')
  })

  it('begin anew with each text', () => {
    const text = `${definition(60_000)}[a] [a]`
    expect(renderer.render(text)).toBe(renderer.render(text))
    expect(links(renderer.render(text))).toBe(1)
  })
})

describe('a footnote', () => {
  it('leads back to its first 100 references', () => {
    const html = renderer.render(`[^a]: x\n\n${'[^a]'.repeat(150)}`)
    expect(html.split('class="footnote-ref"')).toHaveLength(151)
    expect(html.split('class="footnote-backref"')).toHaveLength(101)
    expect(html).toContain('<a href="#user-content-fnref-1-100" ')
  })
})

describe('tables', () => {
  it('are text once 20,000 cells of a text had to be filled up', () => {
    const html = renderer.render(emptyCells.repeat(3))
    expect(html.split('<table>')).toHaveLength(2)
    expect(html).toContain('|a|a|')
  })

  it('count empty cells only', () => {
    const wide = `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${`${'|a'.repeat(100)}|\n`.repeat(150)}\n`
    expect(renderer.render(wide.repeat(3)).split('<table>')).toHaveLength(4)
  })
})

describe('a text that is not read as markdown', () => {
  const render = (text: string, options: DefaultRendererOptions = {}) => new DefaultRenderer(options).render(text)

  it('is one that is longer than maxLength: it comes escaped, with its line breaks', () => {
    expect(render('**a**', { maxLength: 5 })).toBe('<p><strong>a</strong></p>')
    expect(render('**a**\n<b>', { maxLength: 5 })).toBe('**a**<br>\n&lt;b&gt;')
  })

  it('is one of more than 262,144 characters unless the option says otherwise', () => {
    const long = fill('**a** ', longest)
    expect(renderer.render(long)).toContain('<strong>')
    expect(renderer.render(`${long}!`)).toBe(`${long}!`)
    expect(render(`${long}!`, { maxLength: longest + 1 })).toContain('<strong>')
  })

  it('is one whose HTML would be out of proportion, or more than fits into a string', () => {
    const giving = (length: number) =>
      class extends MarkdownIt {
        override render(): string {
          return 'x'.repeat(length)
        }
      }
    expect(render('<b>', { markdownIt: giving(4_000_000) })).toHaveLength(4_000_000)
    expect(render('<b>', { markdownIt: giving(5_000_000) })).toBe('&lt;b&gt;')
    expect(render('<b>', { markdownIt: giving(2 ** 31) })).toBe('&lt;b&gt;')
  })

  it('is cut after 64 Mi characters, so that it fits into a string when it is escaped', () => {
    const most = 64 * 1024 * 1024
    const html = renderer.render('x'.repeat(most + 1))
    expect(html).toHaveLength(most + 1)
    expect(html.endsWith('x…')).toBe(true)
  })
})

describe('maxLength', () => {
  it.each([0, -1, Number.NaN])('may not be %s', (maxLength) => {
    expect(() => new DefaultRenderer({ maxLength })).toThrow(TypeError)
  })
})

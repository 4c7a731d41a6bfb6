import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../tests/support/cpu-seconds.ts'
import { DefaultRenderer, type DefaultRendererOptions } from '../src/index.ts'
import { definition, emptyCells, families, fill, shaped } from './support/pathological.ts'
import { parseStrictly } from './support/strict-html.ts'

const renderer = new DefaultRenderer()
const longest = 256 * 1024
// Precedes each text. If a text is escaped instead of parsed, the HTML contains these asterisks.
const before = '**read**\n\n'
const readAsMarkdown = /^<p><strong>read<\/strong><\/p>/

// Each text takes a fraction of a second. An algorithm that is not linear takes minutes, so the
// test times out. `npm run bench -- rendering hostile` measures the exact times.
describe('100 kB of', () => {
  it.each([...families].filter(([name]) => !Object.hasOwn(shaped, name)))(
    '%s is read as markdown and becomes well-formed HTML',
    (_name, family) => {
      const html = renderer.render(before + family(100_000))
      expect(html).toMatch(readAsMarkdown)
      expect(() => parseStrictly(html)).not.toThrow()
    },
    10_000,
  )
})

// Rendering blocks the process, and every reader downloads the HTML, so time and size are limited.
describe('a text of the maximum length of', () => {
  it.each(Object.entries(shaped))(
    '%s, becomes well-formed HTML of bounded length',
    (_name, family) => {
      const text = (before + family(longest)).slice(0, longest)
      const html = renderer.render(text)
      expect(html).toMatch(readAsMarkdown)
      expect(html.length).toBeLessThan(32 * text.length + 4_000_000)
      expect(() => parseStrictly(html)).not.toThrow()
    },
    60_000,
  )
})

describe('link definitions', () => {
  const links = (html: string) => html.split('<a ').length - 1

  it('can add 100,000 characters to a short text; further references remain text', () => {
    const html = renderer.render(`${definition(9_999)}${'[a] '.repeat(20)}`)
    expect(links(html)).toBe(10)
    expect(html).toMatch(/(?: \[a\]){10}<\/p>$/)
  })

  it('can add as many characters as a long text has', () => {
    const text = definition(9_999) + '[a] '.repeat(47_500)
    expect(links(renderer.render(text))).toBe(Math.floor(text.length / 10_000))
  })

  it('count their titles, and images like links', () => {
    const html = renderer.render(
      `[a]: /${'x'.repeat(4_999)} "${'y'.repeat(5_000)}"\n\n${'[a] ![a] '.repeat(20)}`,
    )
    expect(links(html)).toBe(5)
    expect(html.split('<img ')).toHaveLength(6)
  })

  it('leave room for short ones if a long one does not fit', () => {
    const html = renderer.render(`${definition(60_000)}[b]: /b\n\n[a] [a] [b]`)
    expect(links(html)).toBe(2)
    expect(html).toContain(' [a] <a href="/b"')
  })

  it('start again with each text', () => {
    const text = `${definition(60_000)}[a] [a]`
    expect(renderer.render(text)).toBe(renderer.render(text))
    expect(links(renderer.render(text))).toBe(1)
  })
})

describe('a footnote', () => {
  it('links back to its first 100 references', () => {
    const html = renderer.render(`[^a]: x\n\n${'[^a]'.repeat(150)}`)
    expect(html.split('class="footnote-ref"')).toHaveLength(151)
    expect(html.split('class="footnote-backref"')).toHaveLength(101)
    expect(html).toContain('<a href="#user-content-fnref-1-100" ')
  })
})

describe('tables', () => {
  it('become text after 20,000 missing cells of a text', () => {
    const html = renderer.render(emptyCells.repeat(3))
    expect(html.split('<table>')).toHaveLength(2)
    expect(html).toContain('|a|a|')
  })

  it('count empty cells only', () => {
    const wide = `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${`${'|a'.repeat(100)}|\n`.repeat(150)}\n`
    expect(renderer.render(wide.repeat(3)).split('<table>')).toHaveLength(4)
  })
})

describe('a quote', () => {
  const quotes = (html: string) => html.split('<blockquote>').length - 1

  it('contains any number of successive lines without a marker', () => {
    expect(quotes(renderer.render(`> a\n${'b\n'.repeat(1000)}> c`))).toBe(1)
  })

  it('ends when lines with and without a marker have alternated 32 times', () => {
    expect(quotes(renderer.render('> a\nb\n'.repeat(33)))).toBe(1)
    expect(quotes(renderer.render('> a\nb\n'.repeat(34)))).toBe(2)
    expect(quotes(renderer.render('> > a\n> b\n'.repeat(34)))).toBe(3)
  })

  it('takes time in proportion to its length, if a text has many that end early', () => {
    // Without the limit, 100 kB took 10 s, and a text of twice the length took four times as long.
    const cpu = (text: string): number => cpuSeconds(() => renderer.render(text), 0)
    const text = fill('> # a\nb\n', 20_000)
    expect(cpu(text.repeat(8)) / cpu(text)).toBeLessThan(30)
  })
})

describe('a text that is not read as markdown', () => {
  const render = (text: string, options: DefaultRendererOptions = {}) =>
    new DefaultRenderer(options).render(text)

  it('is longer than maxLength, and is escaped with its line breaks', () => {
    expect(render('**a**', { maxLength: 5 })).toBe('<p><strong>a</strong></p>')
    expect(render('**a**\n<b>', { maxLength: 5 })).toBe('**a**<br>\n&lt;b&gt;')
  })

  it('has more than 262,144 characters by default', () => {
    const long = fill('**a** ', longest)
    expect(renderer.render(long)).toContain('<strong>')
    expect(renderer.render(`${long}!`)).toBe(`${long}!`)
    expect(render(`${long}!`, { maxLength: longest + 1 })).toContain('<strong>')
  })

  it('has HTML that is out of proportion, or that does not fit into a string', () => {
    const giving = (length: number) => ({ onMedium: () => ({ url: 'x'.repeat(length) }) })
    const around = '<p><img src="" alt="b"></p>'.length
    expect(render('![b](c)', giving(4_000_000))).toHaveLength(4_000_000 + around)
    expect(render('![b](c)', giving(5_000_000))).toBe('![b](c)')
    expect(render('![b](c)'.repeat(5), giving(2 ** 27))).toBe('![b](c)'.repeat(5))
  })

  it('is truncated after 64 Mi characters, so that it fits into a string when escaped', () => {
    const most = 64 * 1024 * 1024
    const html = renderer.render('x'.repeat(most + 1))
    expect(html).toHaveLength(most + 1)
    expect(html.endsWith('x…')).toBe(true)
  })
})

describe('maxLength', () => {
  it.each([0, -1, Number.NaN])('cannot be %s', (maxLength) => {
    expect(() => new DefaultRenderer({ maxLength })).toThrow(TypeError)
  })
})

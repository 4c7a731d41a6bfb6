import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import {
  DefaultRenderer,
  extendPolicy,
  IncrementalRenderer,
  MarkdownRenderer,
  type MarkdownRendererOptions,
  type RenderedDocument,
} from '../src/index.ts'
import { nastyMarkdown } from './media-urls/support/nasty-markdown.ts'
import { documents } from './support/changing-documents.ts'

const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt })
const throughPlugins = new MarkdownRenderer({ markdownIt: MarkdownIt, plugins: [() => {}] })
const mediaId = `m${'0'.repeat(26)}`

function render(text: string, options: MarkdownRendererOptions = {}): RenderedDocument {
  return new MarkdownRenderer({ markdownIt: MarkdownIt, ...options }).renderDocument(text)
}

/** Each block's line and how its HTML begins. */
function outline({ html, blocks }: RenderedDocument): [line: number, tag: string][] {
  return blocks.map(({ line, start }) => [
    line,
    /^<\w+>?|^.{0,5}/.exec(html.slice(start))?.[0] ?? '',
  ])
}

describe('html', () => {
  it('is what render gives, in every form of the renderer', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const { html } = renderer.renderDocument(text)
        const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt })
        incremental.update(text)
        expect(renderer.render(text)).toBe(html)
        expect(incremental.html).toBe(html)
        expect(throughPlugins.render(text)).toBe(html)
      }),
      { numRuns: 200 },
    )
  })

  it('has the first of two definitions of one footnote, wherever they stand', () => {
    const { html } = render('[^1]: a\n\n[^1]\n\n> [^1]: b\n\n[^1]: c')
    expect(html).toContain('<p>a <a')
    expect(html).not.toMatch(/<p>[bc] <a/)
  })

  it('comes for any string without an error, well-formed', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
        .map((units) => String.fromCharCode(...units)),
      nastyMarkdown,
    )
    fc.assert(
      fc.property(anyText, (text) => {
        const { html } = renderer.renderDocument(text)
        expect(html.isWellFormed() && !html.includes('\0')).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    '> ',
    '- ',
    '1. ',
    '[',
    '![',
    '*a **b ',
    '<div>',
    '<b>',
    '^',
    '~',
    '==',
    '(',
    '`',
    '[^',
    '> [!NOTE]\n> ',
  ])('comes for 20,000 times %j', (piece) => {
    expect(renderer.renderDocument(piece.repeat(20_000)).html).toBeTypeOf('string')
  })
})

describe('media', () => {
  it('are what the page loads and links to uploaded files, in order, with their lines', () => {
    const text = [
      '![a](/a.png)',
      '',
      '<video src="/b.mp4" poster="/b.png"></video>',
      '',
      '<audio><source src="/c.mp3" type="audio/mpeg"><source src="/c.ogg"></audio>',
      '',
      `[file](/media/${mediaId}) and [page](/d.html)`,
      '',
      '[^1]',
      '',
      '[^1]: ![e](https://cdn.example/e.png)',
    ].join('\n')
    expect(render(text).media).toEqual([
      { element: 'img', attribute: 'src', url: '/a.png', line: 0 },
      { element: 'video', attribute: 'src', url: '/b.mp4', line: 2 },
      { element: 'video', attribute: 'poster', url: '/b.png', line: 2 },
      { element: 'source', attribute: 'src', url: '/c.mp3', line: 4 },
      { element: 'source', attribute: 'src', url: '/c.ogg', line: 4 },
      { element: 'a', attribute: 'href', url: `/media/${mediaId}`, line: 6 },
      { element: 'img', attribute: 'src', url: 'https://cdn.example/e.png', line: 10 },
    ])
  })

  it.each([
    ['code', '`![a](/b.png)`'],
    ['what is removed', '<script src="/b.js"></script> ![a](data:x) <source src="/b.mp4">'],
    ['frames', '<iframe src="https://player.vimeo.com/video/1"></iframe>'],
    ['other attributes', `<q cite="/media/${mediaId}">a</q>`],
    ['unused definitions', '[a]: /b.png'],
  ])('are none in %s', (_, text) => {
    expect(render(text).media).toEqual([])
  })

  it('are named as often as they stand there', () => {
    expect(render('![a][b] ![c][b]\n\n[b]: /d.png').media).toHaveLength(2)
  })
})

describe('headings', () => {
  it('have their level, id, text and line', () => {
    expect(render('# A *b* `c`\n\nd\n\nÜ e\n---\n\n## A b c\n\n###### !?').headings).toEqual([
      { level: 1, id: 'user-content-a-b-c', text: 'A b c', line: 0 },
      { level: 2, id: 'user-content-ü-e', text: 'Ü e', line: 4 },
      { level: 2, id: 'user-content-a-b-c-1', text: 'A b c', line: 7 },
      { level: 6, id: null, text: '!?', line: 9 },
    ])
  })

  it('have text without markup, tags, images and footnotes', () => {
    const text = '# [a](/b) <b>c</b> ![d](/e) &amp; \\* [^1] f\\\ng ==h== x^2^\n\n[^1]: i'
    expect(render(text).headings[0]?.text).toBe('a c  & *  f\\')
    expect(render('a\\\nb ==h== x^2^\n===').headings[0]?.text).toBe('a\nb h x2')
  })

  it.each([
    ['# a <script>alert(1)</script>', 'a'],
    ['# a <b>x</b> <script>alert(1)</script>', 'a-x'],
    ['# <style>`b` *c*</style> d <textarea>e</textarea>', 'd'],
    ['# <iframe src="https://example.com">f</iframe> g', 'g'],
    ['# a <script>b', 'a-b'],
  ])('have an id without the text that is removed from %j', (text, slug) => {
    const { html, headings } = render(text)
    expect(headings[0]?.id).toBe(`user-content-${slug}`)
    expect(headings[0]?.text.replaceAll(/\s+/g, '-')).toBe(slug)
    expect(html).toContain(`id="user-content-${slug}"`)
  })

  it('count those in lists, quotes and footnotes', () => {
    expect(
      render('> # a\n\n- # b\n\n[^1]\n\n[^1]: # c').headings.map(({ text, line }) => [text, line]),
    ).toEqual([
      ['a', 0],
      ['b', 2],
      ['c', 6],
    ])
  })

  it('have an id only where the page has it', () => {
    const policy = extendPolicy({ elements: { h1: null } })
    expect(render('# a\n\n## b', { policy }).headings.map(({ id }) => id)).toEqual([
      null,
      'user-content-b',
    ])
    expect(render('<h2>\n\n# a').headings).toEqual([{ level: 1, id: null, text: 'a', line: 0 }])
  })

  it('have ids that differ and stand in the page once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'a-1', 'a-1-1', 'A', 'a 1', 'b', '?', '-', 'é')),
        (names) => {
          const { html, headings } = render(names.map((name) => `# ${name}`).join('\n'))
          const ids = headings.flatMap(({ id }) => id ?? [])
          expect(new Set(ids).size).toBe(ids.length)
          for (const id of ids) expect(html.split(` id="${id}"`)).toHaveLength(2)
        },
      ),
    )
  })
})

describe('blocks', () => {
  it('say where the HTML of each block begins, and its line', () => {
    const text = '# a\n\nb\nc\n\n\n- d\n- e\n\n```\nf\n```\n<div>\ng\n</div>\n\n| h |\n|---|'
    expect(outline(render(text))).toEqual([
      [0, '<h1'],
      [2, '<p>'],
      [6, '<ul>'],
      [9, '<pre>'],
      [12, '<div>'],
      [16, '<table>'],
    ])
  })

  it('begin behind leading blank lines, also in patches', () => {
    expect(outline(render('\n \n\n# a\n\nb'))).toEqual([
      [3, '<h1'],
      [5, '<p>'],
    ])
    const preview = new IncrementalRenderer({ markdownIt: MarkdownIt })
    expect(preview.update('\n\na\n').blocks).toEqual([{ html: '<p>a</p>\n', line: 2 }])
    expect(preview.update('\na\n\n')).toMatchObject({
      removed: 1,
      blocks: [{ line: 1 }],
      lineShift: 0,
    })
  })

  it('count line breaks of any kind', () => {
    expect(outline(render('a\r\n\r\nb\r\rc\n\nd'))).toEqual(
      [0, 2, 4, 6].map((line) => [line, '<p>']),
    )
  })

  it('leave out what shows nothing', () => {
    expect(outline(render('[a]: /b\n\nc\n\n<!-- d -->\n\n[^1]: e\n\nf'))).toEqual([
      [2, '<p>'],
      [8, '<p>'],
    ])
  })

  it('are one for all that an element of the author holds', () => {
    expect(outline(render('a\n\n<details>\n\nb\n\nc\n\n</details>\n\nd'))).toEqual([
      [0, '<p>'],
      [2, '<details>'],
      [10, '<p>'],
    ])
  })

  it('have the footnotes last, behind the text', () => {
    expect(outline(render('a[^1]\n\n[^1]: b\n\nc\n'))).toEqual([
      [0, '<p>'],
      [4, '<p>'],
      [5, '<section'],
    ])
  })

  it('are none of an empty text, and one of a text that is only escaped', () => {
    expect(render('').blocks).toEqual([])
    expect(render(' \n\t\n').blocks).toEqual([])
    expect(render('# a\n\n# b', { maxLength: 5 })).toMatchObject({
      html: '# a<br>\n<br>\n# b',
      blocks: [{ line: 0, start: 0 }],
      headings: [],
    })
  })

  it('are in order, in the HTML and in the text, and the same with plugins', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const rendered = renderer.renderDocument(text)
        const lines = text.split(/\r\n?|\n/).length
        let last = { line: -1, start: -1 }
        for (const block of rendered.blocks) {
          expect(block.line).toBeGreaterThanOrEqual(last.line)
          expect(block.line).toBeLessThan(lines)
          expect(block.start).toBeGreaterThanOrEqual(last.start)
          expect(block.start).toBeLessThanOrEqual(rendered.html.length)
          last = block
        }
        const { version: _, ...whole } = throughPlugins.renderDocument(text)
        const { version: __, ...own } = rendered
        expect(whole).toEqual(own)
      }),
      { numRuns: 300 },
    )
  })

  it('point to the first character of HTML that is the same alone', () => {
    const sources = [
      '## !',
      'b *c*',
      '- d\n- e',
      '> f',
      '```\ng\n```',
      '<div>h</div>',
      '| i |\n|---|\n| j |',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...sources), { minLength: 1 }), (parts) => {
        const { html, blocks } = render(parts.join('\n\n***\n\n'))
        parts.forEach((part, index) => {
          const [own, rule] = blocks.slice(2 * index, 2 * index + 2)
          expect(html.slice(own?.start, rule?.start).trimEnd()).toBe(renderer.render(part))
        })
        expect(blocks).toHaveLength(2 * parts.length - 1)
      }),
    )
  })
})

describe('removed', () => {
  it.each([
    ['<blink>a</blink>', 'element', 'blink', undefined],
    ['a <script>b</script>', 'element', 'script', undefined],
    ['a </b>', 'element', 'b', undefined],
    ['<li>a', 'element', 'li', undefined],
    ['<p onclick="b">a</p>', 'attribute', 'p[onclick]', 'b'],
    ['<p align="up">a</p>', 'attribute', 'p[align]', 'up'],
    ['[a](javascript:b)', 'url', 'a[href]', 'javascript:b'],
    ['![a](data:b)', 'url', 'img[src]', 'data:b'],
    ['<iframe src="https://a.example/"></iframe>', 'element', 'iframe', undefined],
  ])('names what of %s is not there, and where', (text, kind, name, value) => {
    const [first, ...others] = render(`a\n\n${text}`).removed
    expect(first).toEqual({
      kind,
      name,
      reason: expect.stringMatching(/\w/),
      line: 2,
      ...(value && { value }),
    })
    expect(others.length).toBeLessThanOrEqual(1)
  })

  it('is empty when nothing is', () => {
    expect(
      render('# a\n\n[b](/c) <kbd>d</kbd> <!-- e -->\n\n- [ ] f[^1]\n\n[^1]: g').removed,
    ).toEqual([])
  })

  it('has at most 100 characters of a value and 100 entries of a block', () => {
    expect(
      render(`<p x="${'b'.repeat(99)}\u{1f600}">a</p>`).removed[0]?.value?.isWellFormed(),
    ).toBe(true)
    expect(render(`[a](javascript:${'b'.repeat(200)})`).removed[0]?.value).toHaveLength(100)
    expect(render(`a${'<blink>'.repeat(1000)}`).removed).toHaveLength(100)
  })
})

describe('version', () => {
  const versionOf = (options: MarkdownRendererOptions): string => render('a', options).version
  const alertTitles = { note: 'n', tip: 't', important: 'i', warning: 'w', caution: 'c' }
  const options: Readonly<Record<string, MarkdownRendererOptions>> = {
    none: {},
    markdownIt: { markdownIt: null },
    policy: { policy: extendPolicy({ schemes: { link: ['xmpp'] } }) },
    embedHosts: { embedHosts: ['a.example'] },
    maxLength: { maxLength: 5 },
    alertTitles: { alertTitles },
    highlight: { highlight: () => null },
    plugins: { plugins: [() => {}] },
    'two plugins': { plugins: [() => {}, () => {}] },
    onMedium: { onMedium: () => undefined },
  }

  it('is the same for the same options, whatever the text', () => {
    for (const some of Object.values(options)) {
      expect(versionOf(some)).toBe(versionOf({ ...some }))
      const own = new MarkdownRenderer({ markdownIt: MarkdownIt, ...some })
      expect(own.renderDocument('# b').version).toBe(own.version)
    }
  })

  it('differs with each option', () => {
    expect(new Set(Object.values(options).map(versionOf)).size).toBe(Object.keys(options).length)
  })

  it('differs with the languages of highlighted code', () => {
    const versions = [[], ['css'], ['css', 'json'], undefined].map((highlightLanguages) => {
      const own = new DefaultRenderer(
        highlightLanguages === undefined ? {} : { highlightLanguages },
      )
      expect(own.renderDocument('a').version).toBe(own.version)
      return own.version
    })
    expect(new Set(versions).size).toBe(versions.length)
  })

  it('does not tell functions apart, as is documented', () => {
    expect(versionOf({ onMedium: () => undefined })).toBe(
      versionOf({ onMedium: () => ({ loading: 'lazy' }) }),
    )
  })
})

describe('a wrong argument', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [5, 'number'],
    [['a'], 'object'],
  ])('%o is a TypeError that names the method and the parameter', (value, type) => {
    expect(() => renderer.renderDocument(value as unknown as string)).toThrow(
      new TypeError(`renderDocument: "markdown" must be a string, not ${type}.`),
    )
  })

  it.each([0, -1, Number.NaN, 'x'])('the maxLength %o is a TypeError', (maxLength) => {
    expect(() => new MarkdownRenderer({ maxLength: maxLength as unknown as number })).toThrow(
      /"maxLength"/,
    )
  })
})

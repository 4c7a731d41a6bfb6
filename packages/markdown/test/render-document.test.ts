import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import {
  IncrementalRenderer,
  MarkdownRenderer,
  type MarkdownRendererOptions,
  type RenderedDocument,
} from '../src/index.ts'
import { nastyMarkdown } from './media-urls/support/nasty-markdown.ts'
import { documents } from './support/changing-documents.ts'
import { extendPolicy } from './support/extend-policy.ts'

const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt })
const mediaId = `m${'0'.repeat(26)}`

function render(text: string, options: MarkdownRendererOptions = {}): RenderedDocument {
  return new MarkdownRenderer({ markdownIt: MarkdownIt, ...options }).renderDocument(text)
}

describe('html', () => {
  it('equals the result of render, in every form of the renderer', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const { html } = renderer.renderDocument(text)
        const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt })
        incremental.update(text)
        expect(renderer.render(text)).toBe(html)
        expect(incremental.html).toBe(html)
      }),
      { numRuns: 200 },
    )
  })

  it('uses the first of two definitions of a footnote, wherever they are', () => {
    const { html } = render('[^1]: a\n\n[^1]\n\n> [^1]: b\n\n[^1]: c')
    expect(html).toContain('<p>a <a')
    expect(html).not.toMatch(/<p>[bc] <a/)
  })

  it('is well-formed for any string, without an error', () => {
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
  it('are the loaded files and the links to uploaded files, in order, with their lines', () => {
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
    ['removed elements', '<script src="/b.js"></script> ![a](data:x) <source src="/b.mp4">'],
    ['frames', '<iframe src="https://player.vimeo.com/video/1"></iframe>'],
    ['other attributes', `<q cite="/media/${mediaId}">a</q>`],
    ['unused definitions', '[a]: /b.png'],
  ])('are none in %s', (_, text) => {
    expect(render(text).media).toEqual([])
  })

  it('are listed once per occurrence', () => {
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

  it('have an id only if the page has it', () => {
    const policy = extendPolicy({ elements: { h1: null } })
    expect(render('# a\n\n## b', { policy }).headings.map(({ id }) => id)).toEqual([
      null,
      'user-content-b',
    ])
    expect(render('<h2>\n\n# a').headings).toEqual([{ level: 1, id: null, text: 'a', line: 0 }])
  })

  it('have unique ids that are in the page once', () => {
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

describe('patch blocks', () => {
  it('start after leading blank lines', () => {
    const preview = new IncrementalRenderer({ markdownIt: MarkdownIt })
    expect(preview.update('\n\na\n').blocks).toEqual([{ html: '<p>a</p>\n', line: 2 }])
    expect(preview.update('\na\n\n')).toMatchObject({
      removed: 1,
      blocks: [{ line: 1 }],
      lineShift: 0,
    })
  })
})

describe('an invalid argument', () => {
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

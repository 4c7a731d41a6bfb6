import MarkdownIt from 'markdown-it'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  BaseRenderer,
  DefaultRenderer,
  defaultPolicy,
  type MarkdownItConstructor,
  type RenderPolicy,
} from '../src/index.ts'
import { MarkdownRenderer } from '../src/renderer/markdown-renderer.ts'

const renderer = new DefaultRenderer()

describe('DefaultRenderer', () => {
  it('finds the installed markdown-it', () => {
    expect(renderer.render('**bold**')).toBe('<p><strong>bold</strong></p>')
  })

  it('is a BaseRenderer', () => {
    expect(renderer).toBeInstanceOf(BaseRenderer)
  })

  it('accepts the real class of markdown-it', () => {
    expectTypeOf(MarkdownIt).toExtend<MarkdownItConstructor>()
    expect(new DefaultRenderer({ markdownIt: MarkdownIt }).render('*a*')).toBe('<p><em>a</em></p>')
  })

  it('escapes the text and keeps its line breaks without markdown-it', () => {
    const plain = new DefaultRenderer({ markdownIt: null })
    expect(plain.render('**b** <script>\r\n"a" & \'b\'\n\rc\0')).toBe(
      '**b** &lt;script&gt;<br>\n&quot;a&quot; &amp; &#39;b&#39;<br>\n<br>\nc\uFFFD',
    )
  })

  it('returns the empty string for an empty text', () => {
    expect(renderer.render('')).toBe('')
    expect(new DefaultRenderer({ markdownIt: null }).render('')).toBe('')
  })

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [5, 'number'],
    [['a'], 'object'],
    [new String('a'), 'object'],
  ])('throws a TypeError that names the parameter for %o', (value, type) => {
    expect(() => renderer.render(value as string)).toThrow(
      new TypeError(`render: "markdown" must be a string, not ${type}.`),
    )
  })

  it.each([
    ['a\0b', '<p>a\uFFFDb</p>'],
    ['a\uD800b', '<p>a\uFFFDb</p>'],
    ['&#0; &#xD800; &#x110000;', '<p>\uFFFD \uFFFD \uFFFD</p>'],
    ['<img alt="&#0;&#xD800;" src="/x">', '<img alt="\uFFFD\uFFFD" src="/x">'],
  ])('replaces NUL and lone surrogates in %j', (markdown, html) => {
    expect(renderer.render(markdown)).toBe(html)
  })

  it('keeps no state between calls', () => {
    const texts = [
      '# A\n\n[a]: /x\n\nb[^1]\n\n[^1]: c',
      '# A [a] b[^1]',
      '<div><b>',
      '</b></div>',
      '<table><tr>',
      '<td>x',
    ]
    const apart = texts.map((text) => new DefaultRenderer().render(text))
    expect([...texts, ...texts].map((text) => renderer.render(text))).toEqual([...apart, ...apart])
  })
})

describe('MarkdownRenderer', () => {
  it('renders the same in the browser as DefaultRenderer on the server', () => {
    const inBrowser = new MarkdownRenderer({ markdownIt: MarkdownIt })
    const text = '# A\n\n- [x] <kbd>b</kbd>\n\n==c== www.example.com[^1]\n\n[^1]: d'
    expect(inBrowser.render(text)).toBe(renderer.render(text))
  })

  it('escapes the text without a parser', () => {
    expect(new MarkdownRenderer().render('<b>')).toBe('&lt;b&gt;')
  })
})

describe('the option highlightLanguages', () => {
  it.each(['css', 5, null, [5]])(
    'throws a TypeError that names the option for %j',
    (highlightLanguages) => {
      for (const options of [{}, { highlight: () => null }, { markdownIt: null }]) {
        const make = () => new DefaultRenderer({ ...options, highlightLanguages } as object)
        expect(make).toThrow(
          new TypeError('The option "highlightLanguages" must be a list of names.'),
        )
      }
    },
  )
})

describe('the option embedHosts', () => {
  const frame = (host: string) => `<iframe src="https://${host}/embed/abc"></iframe>`

  it('replaces the hosts of the policy', () => {
    const own = new DefaultRenderer({ embedHosts: ['video.example'] })
    expect(own.render(frame('video.example'))).toMatch(
      /^<iframe src="https:\/\/video\.example\/embed\/abc"/,
    )
    expect(own.render(frame('www.youtube.com'))).toMatch(/^<a /)
  })

  it('sandboxes an unknown host without its own origin', () => {
    const own = new DefaultRenderer({ embedHosts: ['video.example'] })
    expect(own.render(frame('video.example'))).toContain('sandbox="allow-scripts allow-popups"')
  })

  it('can be empty', () => {
    expect(new DefaultRenderer({ embedHosts: [] }).render(frame('www.youtube.com'))).not.toContain(
      '<iframe',
    )
  })

  it.each(['https://x.example', 'x.example/path', 'X.example', '*.example', ''])(
    'rejects %j',
    (host) => {
      expect(() => new DefaultRenderer({ embedHosts: [host] })).toThrow(TypeError)
    },
  )
})

describe('the option policy', () => {
  const withElement = (name: string, attributes = {}): RenderPolicy => ({
    ...defaultPolicy,
    elements: { ...defaultPolicy.elements, [name]: { attributes } },
  })

  it('can allow more', () => {
    const own = new DefaultRenderer({ policy: withElement('center', { align: 'text' }) })
    expect(own.render('<center align=x onclick=y>a</center>')).toBe('<center align="x">a</center>')
  })

  it('can allow less', () => {
    const { img: _, ...elements } = defaultPolicy.elements
    expect(
      new DefaultRenderer({ policy: { ...defaultPolicy, elements } }).render('a ![b](/c)'),
    ).toBe('<p>a </p>')
  })

  it.each([
    ...[
      'script',
      'style',
      'svg',
      'math',
      'template',
      'noscript',
      'textarea',
      'object',
      'base',
      'form',
      'SCRIPT',
      'x-y',
    ],
  ])('refuses the element %s', (name) => {
    expect(() => new DefaultRenderer({ policy: withElement(name) })).toThrow(
      /"policy" allows the element/,
    )
  })

  it.each([
    ['onclick', 'text'],
    ['style', 'text'],
    ['srcdoc', 'text'],
    ['srcset', 'media'],
    ['name', 'text'],
    ['href', 'text'],
    ['data', 'text'],
    ['id', 'text'],
    ['ONCLICK', 'text'],
  ])('refuses the attribute %s as %s', (name, rule) => {
    expect(() => new DefaultRenderer({ policy: withElement('p', { [name]: rule }) })).toThrow(
      /allows the attribute/,
    )
    const policy = { ...defaultPolicy, globalAttributes: { [name]: rule as 'text' } }
    expect(() => new DefaultRenderer({ policy })).toThrow(/on every element/)
  })

  it.each(['javascript', 'data', 'vbscript', 'blob', 'file', 'JavaScript', 'javascript:'])(
    'rejects the scheme %s',
    (scheme) => {
      const policy = { ...defaultPolicy, schemes: { link: ['https'], media: [scheme] } }
      expect(() => new DefaultRenderer({ policy })).toThrow(/allows the scheme/)
    },
  )

  it('rejects ids without a prefix', () => {
    expect(() => new DefaultRenderer({ policy: { ...defaultPolicy, idPrefix: '' } })).toThrow(
      /idPrefix/,
    )
  })
})

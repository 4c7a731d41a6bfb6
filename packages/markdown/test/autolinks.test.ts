import MarkdownIt from 'markdown-it'
import { describe, expect, it, vi } from 'vitest'
import { DefaultRenderer } from '../src/index.ts'
import { extractMediaUrls } from '../src/node/extract-media-urls.ts'
import { addAutolinks } from '../src/syntax/autolinks.ts'

const renderer = new DefaultRenderer()

function inline(markdown: string): string {
  return (
    /^<p>([\s\S]*)<\/p>$/
      .exec(renderer.render(markdown))?.[1]
      ?.replaceAll(' rel="nofollow ugc noopener"', '') ?? ''
  )
}

const link = (address: string, href = address) => `<a href="${href}">${address}</a>`

describe('a bare address', () => {
  it.each([
    [
      'is linked before its characters are parsed as Markdown',
      'https://a.b/*c*`d`_e_[f](g)',
      link('https://a.b/*c*`d`_e_[f](g)', 'https://a.b/*c*%60d%60_e_%5Bf%5D(g)'),
    ],
    [
      'can begin with www.',
      'www.a.b/*c*==d==',
      link('www.a.b/*c*==d==', 'http://www.a.b/*c*==d=='),
    ],
    [
      'is linked in emphasis',
      '**https://a.b** _www.a.b_ ~~www.a.b~~',
      `<strong>${link('https://a.b')}</strong> <em>${link('www.a.b', 'http://www.a.b')}</em> <del>${link('www.a.b', 'http://www.a.b')}</del>`,
    ],
    ['is linked in a mark', '==https://a.b/c==', `<mark>${link('https://a.b/c')}</mark>`],
    ['is linked in brackets', '[https://a.b]', `[${link('https://a.b')}]`],
    [
      'is text in a link',
      '[a https://b.c/*d* x@y.zz](/e)',
      '<a href="/e">a https://b.c/*d* x@y.zz</a>',
    ],
    [
      'is text in a link of raw HTML',
      '<a href="/x">https://b.c www.b.c x@y.zz</a> www.a.b',
      `<a href="/x">https://b.c www.b.c x@y.zz</a> ${link('www.a.b', 'http://www.a.b')}`,
    ],
    ['is text in code', '`https://a.b`', '<code>https://a.b</code>'],
    [
      'hides the end of a link',
      '[https://a.b/[c](/d)](/e)',
      '<a href="/e">https://a.b/[c](/d)</a>',
    ],
    [
      'is displayed as written',
      'https://a.b/%00%c3%bc&amp;c',
      link('https://a.b/%00%c3%bc&amp;amp;c'),
    ],
    ['has its host encoded', 'https://ü.de/ü', link('https://ü.de/ü', 'https://xn--tda.de/%C3%BC')],
    ['is followed by a footnote', 'https://a.b/c[^1]', `${link('https://a.b/c')}[^1]`],
    [
      'begins after a tag or a line break',
      '<b>www.a.b</b>\nwww.a.b',
      `<b>${link('www.a.b', 'http://www.a.b')}</b>\n${link('www.a.b', 'http://www.a.b')}`,
    ],
    ['is not found after a backslash', '\\https://a.b \\www.a.b', '\\https://a.b \\www.a.b'],
    ['is text without a host', 'https:// www. www.. http', 'https:// www. www.. http'],
  ])('%s', (_, markdown, html) => {
    expect(inline(markdown)).toBe(html)
  })

  it.each([
    'https://a.b/*c*`d`',
    'www.a.b/c[d](/e)f',
    '[www.a.b/[c](/d)](/e)',
    '![https://a.b/`](/c) `',
    'x https://a.b/\\[c](/d)',
    '^https://a.b/c^ ~www.a.b~',
  ])('is the same for the page and for the text: %s', (markdown) => {
    const linked = [...renderer.render(markdown).matchAll(/(?:href|src)="([^"]*)"/g)].map(
      ([, url]) => decodeURI(url ?? ''),
    )
    expect([...extractMediaUrls(markdown)].sort()).toEqual(linked.sort())
  })
})

describe('link tokens', () => {
  const parser = new MarkdownIt({ html: true, linkify: true })
  addAutolinks(parser)
  const tokensOf = (markdown: string) => parser.parseInline(markdown, {})[0]?.children ?? []

  it.each(['https://a.b', 'a@b.cd'])('equal those of linkify: %s', (address) => {
    const [opening, text, closing] = tokensOf(`*${address}*`).slice(1, -1)
    expect(opening).toMatchObject({
      type: 'link_open',
      tag: 'a',
      nesting: 1,
      level: 1,
      markup: 'linkify',
      info: 'auto',
    })
    expect(text).toMatchObject({ type: 'text', content: address, level: 2 })
    expect(closing).toMatchObject({
      type: 'link_close',
      nesting: -1,
      level: 1,
      markup: 'linkify',
      info: 'auto',
    })
  })

  it.each(['[https://a.b www.a.b a@b.cd](/c)', '<a href="/c">https://a.b www.a.b a@b.cd</a>'])(
    'are not inside links: %s',
    (markdown) => {
      expect(tokensOf(markdown).filter(({ info }) => info === 'auto')).toEqual([])
    },
  )
})

describe('addresses in link text', () => {
  it('remain text, in images and before a link too', () => {
    expect(inline('[a http://b.c www.d.e](/f) www.g.h')).toBe(
      `<a href="/f">a http://b.c www.d.e</a> ${link('www.g.h', 'http://www.g.h')}`,
    )
    expect(inline('[![http://a.b](/c)](/d)')).toContain('alt="http://a.b"')
  })

  it('are read without scanning the whole text for each', () => {
    const count = 2000
    let read = 0
    const { endsWith } = String.prototype
    const spy = vi.spyOn(String.prototype, 'endsWith').mockImplementation(function (
      this: string,
      ...args
    ) {
      read += this.length
      return endsWith.apply(this, args)
    })
    const html = renderer.render(`[${'http://a '.repeat(count)}](/b)`)
    spy.mockRestore()
    expect(html.split('http://a')).toHaveLength(count + 1)
    expect(read).toBeLessThan(100 * count)
  })
})

describe('a mail address', () => {
  it.each([
    ['a@b.cd', link('a@b.cd', 'mailto:a@b.cd')],
    ['a@b.cd, mailto:e@f.gh.', `${link('a@b.cd', 'mailto:a@b.cd')}, ${link('mailto:e@f.gh')}.`],
    ['*a@b.cd*c', `<em>${link('a@b.cd', 'mailto:a@b.cd')}</em>c`],
    ['a\\_b@c.de \\a@b.cd', 'a_b@c.de \\a@b.cd'],
    ['https://a@b.cd/', link('https://a@b.cd/')],
    ['ftp://a@b.cd/ name@1.2.3', 'ftp://a@b.cd/ name@1.2.3'],
    ['<a name="x">a@b.cd</a>a@b.cd', `<a>a@b.cd</a>${link('a@b.cd', 'mailto:a@b.cd')}`],
  ])('%s', (markdown, html) => {
    expect(inline(markdown)).toBe(html)
  })
})

describe('an autolink', () => {
  it('displays its address as written', () => {
    expect(inline('<https://a.b/%00%c3%bc>')).toBe(link('https://a.b/%00%c3%bc'))
    expect(inline('<https://a.example%00.evil.example>')).toContain(
      '>https://a.example%00.evil.example</a>',
    )
  })
})

describe('superscript and subscript', () => {
  it.each([
    ['end after code', '^a`b^`c^', '<sup>a<code>b^</code>c</sup>'],
    [
      'do not begin before code that contains their end',
      '^a`b^ ![x](/m) `',
      '^a<code>b^ ![x](/m) </code>',
    ],
    ['do not begin before a link that contains their end', '~a[b~](/c)', '~a<a href="/c">b~</a>'],
    [
      'do not begin before a tag or a comment that contains their end',
      '^a<b title="^">c</b> ^d<!--^-->',
      '^a<b title="^">c</b> ^d',
    ],
    ['end within a link', '[a^b^](/c)', '<a href="/c">a<sup>b</sup></a>'],
    ['contain no spaces except escaped ones', 'x^a\\ b^ y^c\\\\ d^', 'x<sup>a b</sup> y^c\\ d^'],
    ['contain only pairs of brackets', 'a^[1]^ b^]^ c^[^', 'a<sup>[1]</sup> b^]^ c^[^'],
  ])('%s', (_, markdown, html) => {
    expect(inline(markdown)).toBe(html)
  })
})

it('a footnote has priority over a table', () => {
  const html = renderer.render('a[^1]\n\n[^1]: a|b\n-|-')
  expect(html).toContain('<li id="user-content-fn-1">')
  expect(html).not.toContain('<table>')
})

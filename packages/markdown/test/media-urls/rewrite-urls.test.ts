import { describe, expect, it } from 'vitest'
import { rewriteUrls as rewrite } from '../../src/media-urls/urls-in-text.ts'

const rewriteUrls = (text: string, replacements: Readonly<Record<string, string>>) =>
  rewrite(text, new Map(Object.entries(replacements)))

describe('rewriteUrls', () => {
  it('replaces URLs in every kind of reference', () => {
    const text =
      '![a](/t "x") [a](</t>) [r] <https://a.b/t> https://a.b/t\n\n[r]: /t\n\n<img src=/t srcset="/t 1x"> <a href="/t">a</a>'
    expect(rewriteUrls(text, { '/t': '/new', 'https://a.b/t': 'https://a.b/new' })).toBe(
      '![a](/new "x") [a](</new>) [r] <https://a.b/new> https://a.b/new\n\n[r]: /new\n\n<img src=/new srcset="/new 1x"> <a href="/new">a</a>',
    )
  })

  it('does not change other URLs that start or end with a replaced one (F20)', () => {
    const text =
      '![a](/t/1.png) ![b](/t/1.png.bak) ![c](https://other.example/t/1.png) ![d](/t/1.png?x)'
    expect(rewriteUrls(text, { '/t/1.png': '/u/1.png' })).toBe(
      text.replace('(/t/1.png)', '(/u/1.png)'),
    )
  })

  it('replaces in code, comments, titles and prose too', () => {
    const text =
      '`![a](/t)` <!-- ![a](/t) --> [b](/b "/t") /t\n\n```\n![a](/t)\n```\n\n    ![a](/t)\n'
    expect(rewriteUrls(text, { '/t': '/u' })).toBe(text.replaceAll('/t', '/u'))
  })

  it.each([
    ['the end of a sentence', 'see /t/a_b.png.'],
    ['emphasis', '**https://a.b/t** _https://a.b/t_ ~~https://a.b/t~~ ==https://a.b/t=='],
    ['a sentence without spaces', '见https://a.b/t。'],
    ['an attribute without quotes', '<img src=/t/a_b.png alt=x>'],
    ['a set without spaces', '<img srcset="/t/a_b.png 1x,/t/a_b.png 2x, /t/a_b.png 1.5x">'],
    ['parentheses', '(https://a.b/t)'],
    ['a cell', '|/t/a_b.png|'],
  ])('finds a URL in %s', (_title, text) => {
    const replacements = { 'https://a.b/t': '/new', '/t/a_b.png': '/new' }
    expect(rewriteUrls(text, replacements)).toBe(
      text.replaceAll(/https:\/\/a\.b\/t|\/t\/a_b\.png/g, '/new'),
    )
  })

  it('compares spellings, not targets', () => {
    expect(rewriteUrls('![a](/t&#46;png) ![b](/t.png)', { '/t&#46;png': '/u.png' })).toBe(
      '![a](/u.png) ![b](/t.png)',
    )
  })

  it('swaps URLs without mixing them up', () => {
    expect(rewriteUrls('![a](/1) ![b](/2)', { '/1': '/2', '/2': '/1' })).toBe('![a](/2) ![b](/1)')
  })

  it('matches only the given spellings', () => {
    const text = '![a](constructor) ![b](__proto__) ![c](toString)'
    expect(rewriteUrls(text, {})).toBe(text)
    expect(rewriteUrls(text, { x: 'y' })).toBe(text)
  })

  it('inserts replacements unchanged', () => {
    expect(rewriteUrls('![a](/t)', { '/t': '/$&-$1' })).toBe('![a](/$&-$1)')
  })
})

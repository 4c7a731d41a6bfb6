import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasScheme, parseUrl, schemeOf } from '../../src/grammar/url.ts'
import { schemeOf as schemeOfVerifier } from '../../src/verification/value-rules.ts'

// Parts of URLs. Some characters are ignored by browsers, or resemble a letter or a colon.
const pieces = [
  ...[
    '\0',
    '\x01',
    '\x1f',
    ' ',
    '\t',
    '\n',
    '\r',
    '\f',
    '\v',
    '\x7f',
    '\xa0',
    '\ufeff',
    '\u2028',
    '\u200b',
    '\ud800',
  ],
  ...[':', ':', ':', '：', '%3a', '&colon;', '/', '//', '\\', '?', '#', '@', '.', '+', '-', '1'],
  ...[
    'a',
    'Z',
    'java',
    'script',
    'JavaScript',
    'data',
    'https',
    'HTTP',
    'mailto',
    'file',
    'ｊａｖａ',
    'İ',
    'ı',
    'ſ',
    'K',
  ],
]
const url = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(fc.constantFrom(...pieces), { maxLength: 10 })
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.webUrl() },
)

describe('the scheme of a URL', () => {
  it('is the one that the URL class finds, in both layers', () => {
    let parsed = 0
    fc.assert(
      fc.property(url, (value) => {
        const own = schemeOf(value) ?? 'https'
        expect(schemeOfVerifier(value)).toBe(own)
        const expected = URL.parse(value, 'https://page.example/a/b')
        if (expected === null) return
        parsed++
        expect(`${own}:`).toBe(expected.protocol)
      }),
      { numRuns: 50_000 },
    )
    expect(parsed).toBeGreaterThan(25_000)
  })

  it.each([
    ['javascript:a', 'javascript'],
    [' \x01\tJAVA\nscript\r:a', 'javascript'],
    ['a+b-c.1:d', 'a+b-c.1'],
    ['java\fscript:a', null],
    ['java script:a', null],
    ['\xa0javascript:a', null],
    ['javascript%3aa', null],
    ['1a:b', null],
    [':a', null],
    ['//a', null],
    ['', null],
  ])('of %j is %j', (value, scheme) => {
    expect(schemeOf(value)).toBe(scheme)
    expect(schemeOfVerifier(value)).toBe(scheme ?? 'https')
  })

  it('counts relative URLs as https', () => {
    const schemes = new Set(['https'])
    expect(
      ['/a', '#b', '', 'https:c', 'http:d', 'e:f'].map((value) => hasScheme(value, schemes)),
    ).toEqual([...[true, true, true, true, false, false]])
  })
})

describe('parseUrl', () => {
  it('never throws', () => {
    fc.assert(fc.property(url, (value) => void parseUrl(value)))
    expect(parseUrl('https://[')).toBeNull()
    expect(parseUrl('/a')?.pathname).toBe('/a')
  })
})

import { ConfigurationError } from '@quillgate/server/core'
import { cookieName, parseCookies } from '@quillgate/server/http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ResponseCookie, ResponseCookies } from '../../src/http/response-cookies.ts'

const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,20}$/)

describe('parseCookies', () => {
  it('reads names and values', () => {
    expect([...parseCookies('a=1; b=two;c="three"')]).toEqual([
      ['a', '1'],
      ['b', 'two'],
      ['c', 'three'],
    ])
  })

  it('has no cookies without a header', () => {
    expect(parseCookies(null).size).toBe(0)
    expect(parseCookies('').size).toBe(0)
  })

  it('uses the first of two cookies with the same name', () => {
    expect(parseCookies('a=specific; a=general').get('a')).toBe('specific')
  })

  it('ignores two cookies with the same __Host- name, which no browser sends', () => {
    expect([...parseCookies('__Host-a=1; b=2; __Host-a=1; __Host-c=3')]).toEqual([
      ['b', '2'],
      ['__Host-c', '3'],
    ])
  })

  it.each(['\xa0', '\x85', '\x0b', '\x0c', '\r', '\ufeff', '\u2000', '\xc2\xa0', '"', '/'])(
    'ignores a cookie with %j before its name, because any host could set it',
    (byte) => {
      expect([...parseCookies(`${byte}__Host-a=planted; \t__Host-a\t= own `)]).toEqual([
        ['__Host-a', 'own'],
      ])
    },
  )

  it('keeps = in values, and values that are not percent-encoded', () => {
    expect(parseCookies('a=b=c').get('a')).toBe('b=c')
    expect(parseCookies('a=100%').get('a')).toBe('100%')
  })

  it('ignores cookies without a name', () => {
    expect([...parseCookies('=x; y; ;  ; z=1')]).toEqual([['z', '1']])
  })

  it('accepts names such as __proto__', () => {
    expect(parseCookies('__proto__=1; constructor=2').get('__proto__')).toBe('1')
    expect(parseCookies('a=1').get('constructor')).toBeUndefined()
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (header) => {
        for (const [name, value] of parseCookies(header)) {
          expect(name).not.toBe('')
          expect(value).toEqual(expect.any(String))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('reads the cookies that an answer sets, among any others', () => {
    const values = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed())
    fc.assert(
      fc.property(token, values, fc.stringMatching(/^[^;=]{0,20}$/), (name, value, noise) => {
        fc.pre(!/^__(host|secure)-/i.test(name))
        const [pair] = written({ name, value, secure: true }).split('; ')
        expect(parseCookies(`${noise}; ${pair}; ${noise}`).get(name)).toBe(value)
      }),
      { numRuns: 500 },
    )
  })
})

describe('ResponseCookies', () => {
  it('sets host-only cookies that are HttpOnly and SameSite=Lax by default', () => {
    expect(written({ name: 'a', value: '1', secure: true })).toBe(
      'a=1; Path=/; HttpOnly; Secure; SameSite=Lax',
    )
    expect(written({ name: 'a', value: '1', secure: false, httpOnly: false, maxAge: 60 })).toBe(
      'a=1; Max-Age=60; Path=/; SameSite=Lax',
    )
  })

  it('cannot be used to add another attribute or header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        fc.pre(value.isWellFormed())
        const [pair, ...attributes] = written({ name: 'a', value, secure: true }).split('; ')
        expect(pair).toMatch(/^a=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/)
        expect(attributes).toEqual(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['a name with ;', { name: 'a;b', value: '1', secure: true }],
    ['an empty name', { name: '', value: '1', secure: true }],
    ['__Host- without secure', { name: '__Host-a', value: '1', secure: false }],
  ])('rejects %s', (_name, cookie) => {
    expect(() => written(cookie)).toThrow()
  })

  it('rejects cookies after the others were added to an answer', () => {
    const cookies = new ResponseCookies()
    expect(cookies.canSet()).toBe(true)
    cookies.take(null)
    expect(cookies.canSet()).toBe(false)
    expect(() => cookies.set({ name: 'a', value: '1', secure: true })).toThrow(ConfigurationError)
  })
})

function written(cookie: ResponseCookie): string {
  const cookies = new ResponseCookies()
  cookies.set(cookie)
  return cookies.take(null)[0] ?? ''
}

describe('cookieName', () => {
  it('adds the prefix __Host- only on https', () => {
    expect(cookieName('quillgate_csrf', true)).toBe('__Host-quillgate_csrf')
    expect(cookieName('quillgate_csrf', false)).toBe('quillgate_csrf')
  })
})

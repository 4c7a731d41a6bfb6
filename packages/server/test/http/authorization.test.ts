import { bearerToken, hasBearer } from '@quillgate/server/http'
import { describe, expect, it } from 'vitest'

const withHeader = (authorization: string): Request =>
  new Request('http://a.test', { headers: { authorization } })

describe('hasBearer', () => {
  it.each(['Bearer abc', 'bearer abc', 'DPoP abc', 'Bearer', 'Bearer bad token', 'BEARER\tabc'])(
    'is true for %j',
    (value) => {
      expect(hasBearer(withHeader(value))).toBe(true)
    },
  )

  it.each(['Basic YTpi', 'Negotiate abc', 'Bearerabc', 'Basic a, Bearer b', 'X-Bearer a'])(
    'is false for %j',
    (value) => {
      expect(hasBearer(withHeader(value))).toBe(false)
    },
  )

  it('is false without the header', () => {
    expect(hasBearer(new Request('http://a.test'))).toBe(false)
  })
})

describe('bearerToken', () => {
  it('returns the token', () => {
    expect(bearerToken(withHeader('bearer  abc.DEF-_~+/=='))).toBe('abc.DEF-_~+/==')
  })

  it.each(['Bearer', 'Bearer a b', 'Bearer a, Bearer b', 'DPoP abc', 'Basic YTpi', 'Bearer =a'])(
    'is null for %j',
    (value) => {
      expect(bearerToken(withHeader(value))).toBeNull()
    },
  )

  it('is null without the header', () => {
    expect(bearerToken(new Request('http://a.test'))).toBeNull()
  })
})

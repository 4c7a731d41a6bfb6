import type { CsrfUser } from '@quillgate/server/http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestCsrf } from '../support/test-csrf.ts'
import { contextOf } from './support/context.ts'

const csrf = createTestCsrf({ secret: 'a secret of at least thirty-two bytes' })
const stranger = createTestCsrf({ secret: 'another secret of at least thirty-two bytes' })
const ORIGIN = 'http://a.test'

function visit(on = csrf, user?: CsrfUser): { cookie: string; token: string } {
  const { token, headers } = on.issue(contextOf(), user)
  return { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '', token }
}

const verify = (
  cookie: string,
  token: string | null,
  user?: CsrfUser | null,
  headers: Record<string, string> = { origin: ORIGIN },
): boolean => csrf.verify(contextOf({ cookie, ...headers }), token, user)

describe('a forged request', () => {
  const { cookie, token } = visit()

  it.each([
    ['another site', { origin: 'https://evil.test' }],
    ['another scheme', { origin: 'https://a.test' }],
    ['another port', { origin: 'http://a.test:8080' }],
    ['a subdomain', { origin: 'http://evil.a.test' }],
    ['a look-alike', { origin: 'http://a.test.evil.test' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a sandboxed frame of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a subdomain, by Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
    ['another site, by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['nowhere, by Sec-Fetch-Site', { 'sec-fetch-site': 'none' }],
    ['a list of two origins', { origin: 'http://a.test, https://evil.test' }],
    [
      'another site with a forged Sec-Fetch-Site',
      { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' },
    ],
    ['a client without Origin and Sec-Fetch-Site', {}],
  ])('is rejected from %s, even with the correct token', (_name, headers) => {
    expect(verify(cookie, token)).toBe(true)
    expect(verify(cookie, token, null, headers)).toBe(false)
  })

  it('is rejected if it only claims to come through a proxy', () => {
    const headers = {
      origin: 'https://evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
    }
    expect(verify(cookie, token, null, headers)).toBe(false)
  })
})

describe('a token', () => {
  it('is rejected without a cookie, and a cookie is rejected without a token', () => {
    const { cookie, token } = visit()
    expect(verify('', token)).toBe(false)
    expect(verify(cookie, null)).toBe(false)
    expect(verify(cookie, '')).toBe(false)
  })

  it('is rejected in another session', () => {
    expect(verify(visit().cookie, visit().token)).toBe(false)
  })

  it('is rejected for another user, also between a user and an anonymous visitor', () => {
    const ada = visit(csrf, { id: 1 })
    expect(verify(ada.cookie, ada.token, { id: 1 })).toBe(true)
    expect(verify(ada.cookie, ada.token, { id: 2 })).toBe(false)
    expect(verify(ada.cookie, ada.token, null)).toBe(false)
    const anonymous = visit()
    expect(verify(anonymous.cookie, anonymous.token, { id: 1 })).toBe(false)
    expect(() => verify(anonymous.cookie, anonymous.token, { id: '' })).toThrow(/`id`/)
  })

  it('is rejected if it was created with another secret', () => {
    const theirs = visit(stranger)
    expect(verify(theirs.cookie, theirs.token)).toBe(false)
  })

  it('is rejected after any change', () => {
    const { cookie, token } = visit()
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...alphabet), (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1)
        const same = Buffer.from(changed, 'base64url').equals(Buffer.from(token, 'base64url'))
        expect(verify(cookie, changed)).toBe(same)
      }),
      { numRuns: 300 },
    )
  })

  it('causes no error for any text', () => {
    const { cookie, token } = visit()
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant(`${token}A`),
      fc.constant(` ${token}`),
      fc.base64String(),
    )
    fc.assert(
      fc.property(hostile, (text) => {
        expect(verify(cookie, text)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a cookie that an attacker has set', () => {
  const { cookie, token } = visit()

  it.each([
    ['is not signed', 'quillgate_csrf=AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['has a wrong signature', cookie.replace(/\..*/, `.${'A'.repeat(43)}`)],
    ['has a short signature', cookie.slice(0, -1)],
    [
      'has another id under our signature',
      cookie.replace(/=./, (start) => (start === '=A' ? '=B' : '=A')),
    ],
    ['is signed with another secret', visit(stranger).cookie],
    ['is empty', 'quillgate_csrf='],
  ])('is ignored if it %s', (_name, planted) => {
    expect(verify(planted, token)).toBe(false)
    expect(csrf.session(contextOf({ cookie: planted }))).toBeNull()
    expect(csrf.rotate(contextOf({ cookie: planted })).previous).toBeNull()
  })

  it('is replaced when a token is issued', () => {
    const { headers } = csrf.issue(contextOf({ cookie: 'quillgate_csrf=AAAAAAAAAAAAAAAAAAAAAAAA' }))
    expect(headers.getSetCookie()).toHaveLength(1)
    expect(headers.getSetCookie()[0]).not.toContain('AAAAAAAAAAAAAAAAAAAAAAAA')
  })

  it('is ignored on https without the __Host- prefix, even with our signature', () => {
    const https = contextOf({ cookie, origin: 'https://a.test' }, { url: 'https://a.test/x' })
    expect(csrf.session(https)).toBeNull()
    expect(csrf.verify(https, token)).toBe(false)
  })

  it('does not give the attacker a token of a signed-in user', () => {
    const attackers = visit()
    expect(verify(attackers.cookie, attackers.token, { id: 'victim' })).toBe(false)
  })
})

import { ConfigurationError } from '@quillgate/server/core'
import type { CsrfUser } from '@quillgate/server/http'
import { describe, expect, it } from 'vitest'
import { csrfTokenFrom } from '../../src/http/authorization.ts'
import { openContext } from '../../src/http/context.ts'
import { createCsrf } from '../../src/http/csrf/csrf.ts'
import { createNetwork } from '../../src/http/network/network.ts'
import { createTestCsrf, type IssuedToken, type TestCsrf } from '../support/test-csrf.ts'
import { contextOf } from './support/context.ts'

const SECRET = 'a secret of at least thirty-two bytes'
const OTHER = 'another secret of at least thirty-two bytes'
const ADA = { id: 1 }
const HTTPS = { url: 'https://a.test/x' }
const csrf = createTestCsrf({ secret: SECRET })

const cookieOf = ({ headers }: IssuedToken): string =>
  headers.getSetCookie()[0]?.split(';')[0] ?? ''

function visit(
  on: TestCsrf = csrf,
  user?: CsrfUser,
): { cookie: string; origin: string; token: string } {
  const issued = on.issue(contextOf(), user)
  return { cookie: cookieOf(issued), origin: 'http://a.test', token: issued.token }
}

describe('Csrf.token', () => {
  it('sets a cookie that scripts can read, without a prefix on http', () => {
    expect(csrf.issue(contextOf()).headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^quillgate_csrf=[A-Za-z0-9_-]{24}\.[A-Za-z0-9_-]{43}; Path=\/; SameSite=Lax$/,
      ),
    ])
  })

  it('sets a __Host- cookie with Secure on https', () => {
    expect(csrf.issue(contextOf({}, HTTPS)).headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-quillgate_csrf=\S+; Path=\/; Secure; SameSite=Lax$/),
    ])
  })

  it('sets no cookie if the browser has a valid one', () => {
    const { cookie } = visit()
    expect([...csrf.issue(contextOf({ cookie })).headers]).toEqual([])
  })

  it('masks the token differently each time', () => {
    const { cookie } = visit()
    const tokens = Array.from({ length: 20 }, () => csrf.issue(contextOf({ cookie })).token)
    expect(new Set(tokens).size).toBe(20)
    expect(new Set(tokens.map((token) => token.slice(-20))).size).toBe(20)
  })

  it('uses the same session for all calls of one request', () => {
    const { request } = contextOf()
    const context = openContext(request)
    const inner = createCsrf({ secret: SECRET, network: createNetwork(), logger: console })
    const tokens = [inner.token(context, null), inner.token(context, null)]
    const set = context.cookies.take(null)
    expect(set).toHaveLength(1)
    const cookie = set[0]?.split(';')[0] ?? ''
    const sent = contextOf({ cookie, origin: 'http://a.test' })
    expect(tokens.map((token) => csrf.verify(sent, token))).toEqual([true, true])
  })

  it('creates a session for each request of a new browser', () => {
    expect(visit().cookie).not.toBe(visit().cookie)
  })

  it('signs the session again with the newest secret', () => {
    const old = visit(createTestCsrf({ secret: OTHER }))
    const rotating = createTestCsrf({ secret: [SECRET, OTHER] })
    const renewed = cookieOf(rotating.issue(contextOf(old)))
    expect(renewed).not.toBe(old.cookie)
    expect(csrf.session(contextOf({ cookie: renewed }))).toBe(rotating.session(contextOf(old)))
  })
})

describe('Csrf.verify', () => {
  it('accepts the token of our own page', () => {
    const { token, ...headers } = visit()
    expect(csrf.verify(contextOf(headers), token)).toBe(true)
  })

  it('accepts the token of a signed-in user, and treats the ids 1 and "1" as equal', () => {
    const { token, ...headers } = visit(csrf, ADA)
    expect(csrf.verify(contextOf(headers), token, ADA)).toBe(true)
    expect(csrf.verify(contextOf(headers), token, { id: '1' })).toBe(true)
  })

  it('accepts the tokens of every instance with the same secret', () => {
    const { token, ...headers } = visit(createTestCsrf({ secret: [SECRET] }))
    expect(csrf.verify(contextOf(headers), token)).toBe(true)
  })

  it('accepts the tokens of each secret during a rotation', () => {
    const rotating = createTestCsrf({ secret: [OTHER, SECRET] })
    for (const party of [csrf, createTestCsrf({ secret: OTHER }), rotating]) {
      const { token, ...headers } = visit(party)
      expect(rotating.verify(contextOf(headers), token)).toBe(true)
    }
  })

  it('compares Origin with the public origin', () => {
    const behindProxy = createTestCsrf({ secret: SECRET, publicOrigin: 'https://example.com' })
    const issued = behindProxy.issue(contextOf())
    const cookie = cookieOf(issued)
    expect(cookie).toMatch(/^__Host-/)
    expect(
      behindProxy.verify(contextOf({ cookie, origin: 'https://example.com' }), issued.token),
    ).toBe(true)
    expect(behindProxy.verify(contextOf({ cookie, origin: 'http://a.test' }), issued.token)).toBe(
      false,
    )
  })

  it('accepts Sec-Fetch-Site: same-origin if Origin is missing or null', () => {
    const { token, cookie } = visit()
    expect(csrf.verify(contextOf({ cookie, 'sec-fetch-site': 'same-origin' }), token)).toBe(true)
    expect(
      csrf.verify(contextOf({ cookie, 'sec-fetch-site': 'same-origin', origin: 'null' }), token),
    ).toBe(true)
  })
})

describe('Csrf.session', () => {
  it('is the same for all requests of one browser', () => {
    const { cookie } = visit()
    const session = csrf.session(contextOf({ cookie }))
    expect(session).toMatch(/^[A-Za-z0-9_-]{24}$/)
    expect(csrf.session(contextOf({ cookie: `a=1; ${cookie}` }))).toBe(session)
  })

  it('is null without a cookie that has our signature', () => {
    expect(csrf.session(contextOf())).toBeNull()
    expect(csrf.session(contextOf(visit(createTestCsrf({ secret: OTHER }))))).toBeNull()
  })
})

describe('Csrf.rotate', () => {
  it('begins another session and returns the previous one', () => {
    const before = visit()
    const rotated = csrf.rotate(contextOf(before), ADA)
    expect(rotated.previous).toBe(csrf.session(contextOf(before)))
    const after = { cookie: cookieOf(rotated), origin: 'http://a.test' }
    expect(csrf.session(contextOf(after))).not.toBe(rotated.previous)
    expect(csrf.verify(contextOf(after), rotated.token, ADA)).toBe(true)
    expect(csrf.verify(contextOf(after), before.token, ADA)).toBe(false)
    expect(csrf.verify(contextOf(after), before.token)).toBe(false)
  })

  it('returns no previous session for a new browser', () => {
    expect(csrf.rotate(contextOf()).previous).toBeNull()
  })

  it('keeps the first previous session in the context, and sets one cookie for two calls', () => {
    const before = visit()
    const context = openContext(contextOf(before).request)
    const inner = createCsrf({ secret: SECRET, network: createNetwork(), logger: console })
    inner.rotate(context)
    const first = context.csrf
    inner.rotate(context)
    expect(context.csrf?.id).not.toBe(first?.id)
    expect(context.csrf?.previous).toBe(csrf.session(contextOf(before)))
    expect(context.cookies.take(null)).toHaveLength(1)
  })
})

describe('createCsrf', () => {
  it.each([
    ['secret', { secret: 'short' }],
    ['publicOrigin', { secret: SECRET, publicOrigin: 'example.com' }],
    ['trustedProxies\\[0\\]', { secret: SECRET, trustedProxies: ['anybody'] }],
  ])('rejects a wrong %s immediately', (name, options) => {
    expect(() => createTestCsrf(options)).toThrow(ConfigurationError)
    expect(() => createTestCsrf(options)).toThrow(new RegExp(`^${name} `))
  })
})

describe('a rejected request of our own origin', () => {
  function logOf(headers: Record<string, string>, token: string | null, user?: CsrfUser): string[] {
    const logged: string[] = []
    const logger = { warn: (...line: unknown[]) => logged.push(line.join(' ')), error: () => {} }
    const own = createTestCsrf({ secret: SECRET, logger })
    const sent = contextOf({ origin: 'http://a.test', ...headers })
    expect([own.verify(sent, token, user), own.verify(sent, token, user)]).toEqual([false, false])
    const secrets = [SECRET, token, headers['cookie']?.split('=')[1]]
    for (const secret of secrets.filter(Boolean)) expect(logged.join()).not.toContain(secret)
    return logged
  }

  it.each([null, ''])('logs once that the page needs the token (%j)', (none) => {
    expect(logOf(visit(), none)).toEqual([
      expect.stringMatching(/in the hidden field csrf_token or in <meta name/),
    ])
  })

  it('logs once that the answer with the page did not set the cookie', () => {
    const logged = logOf({}, visit().token)
    expect(logged).toEqual([
      expect.stringMatching(/no cookie quillgate_csrf\. .*gate\.respond\(req, response\)/),
    ])
  })

  it('logs once that another process has another secret', () => {
    const { cookie, token } = visit(createTestCsrf({ secret: OTHER }))
    expect(logOf({ cookie }, token)).toEqual([
      expect.stringMatching(/Give all processes the same secret/),
    ])
  })

  it('logs once that the token was issued to another user', () => {
    const { cookie, token } = visit()
    expect(logOf({ cookie }, token, ADA)).toEqual([
      expect.stringMatching(/belongs to another user, session or secret\. A page/),
    ])
  })

  it('logs nothing if it comes from another site', () => {
    expect(logOf({ origin: 'https://evil.test' }, null)).toEqual([])
  })
})

describe('csrfTokenFrom', () => {
  it('reads the x-csrf-token header', () => {
    expect(csrfTokenFrom(contextOf({ 'X-CSRF-Token': 'abc' }).request)).toBe('abc')
    expect(csrfTokenFrom(contextOf().request)).toBeNull()
  })
})

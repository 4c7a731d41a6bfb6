import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKeys } from '../../core/keys.ts'
import type { RequestContext } from '../context.ts'
import { cookieName, parseCookies, serializeCookie } from '../cookies.ts'

/** A session and the `set-cookie` that the browser still needs for it. */
export interface CsrfSession {
  readonly id: string
  readonly headers: Headers
}

/** The signed cookie that holds the anonymous session. */
export interface CsrfSessions {
  /** Id of the session that the browser sent, or null when it sent none that we signed. */
  sent(context: RequestContext, secure: boolean): string | null
  /** The session of this request's answer: renewed or begun during this request, or the one sent, or a new one. */
  current(context: RequestContext, secure: boolean): CsrfSession
  /** A new session for this request's answer. */
  renew(context: RequestContext, secure: boolean): CsrfSession
}

const COOKIE = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/
const ID_BYTES = 18

/**
 * Cookies begun while a request is answered, by cookie name. The application and both components may each issue a
 * token for one page: without this, each would begin its own session and the browser would keep only the last.
 */
const begun = new WeakMap<object, Map<string, string>>()

/** Creates the sessions for one secret and cookie name. See {@link createCsrf} for what they promise. */
export function createCsrfSessions(
  secret: string | readonly string[],
  cookie: string,
): CsrfSessions {
  const keys = deriveKeys(secret, `csrf-session:${cookie}`)
  const [signingKey] = keys
  serializeCookie(cookie, '', { secure: false }) // A bad name is a mistake of the set-up, not of the first request.

  const sign = (id: string): string => `${id}.${signature(signingKey, id)}`
  const verified = (value: string | undefined): string | null => {
    const [, id, mac] = COOKIE.exec(value ?? '') ?? []
    return id !== undefined &&
      mac !== undefined &&
      keys.some((key) => equal(mac, signature(key, id)))
      ? id
      : null
  }
  const sentValue = (context: RequestContext, name: string): string | undefined =>
    parseCookies(context.request.headers.get('cookie')).get(name)
  const answer = (context: RequestContext, secure: boolean, id: string): CsrfSession => {
    const name = cookieName(cookie, secure)
    const value = sign(id)
    const headers = new Headers()
    if (sentValue(context, name) !== value) {
      headers.append('set-cookie', serializeCookie(name, value, { secure, httpOnly: false }))
      begunFor(context).set(name, value)
    }
    return { id, headers }
  }

  const sessions: CsrfSessions = {
    sent: (context, secure) => verified(sentValue(context, cookieName(cookie, secure))),
    current(context, secure) {
      const id =
        verified(begunFor(context).get(cookieName(cookie, secure))) ??
        sessions.sent(context, secure)
      return answer(context, secure, id ?? newId())
    },
    renew: (context, secure) => answer(context, secure, newId()),
  }
  return sessions
}

function begunFor(context: RequestContext): Map<string, string> {
  // Several contexts may be made of one framework request; `native` is what they share.
  const { native } = context
  const owner = typeof native === 'object' && native !== null ? native : context.request
  const cookies = begun.get(owner) ?? new Map<string, string>()
  begun.set(owner, cookies)
  return cookies
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}

function signature(key: Buffer, id: string): string {
  return createHmac('sha256', key).update(id).digest('base64url')
}

function equal(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

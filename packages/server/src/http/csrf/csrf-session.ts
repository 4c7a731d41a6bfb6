import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKeys } from '../../core/keys.ts'
import type { IncomingRequest, RequestContext } from '../context.ts'
import { cookieName, parseCookies, serializeCookie } from '../cookies.ts'

/** The signed cookie that holds the anonymous session. */
export interface CsrfSessions {
  /**
   * Returns the id of the session that the browser sent, or null if it sent none that we signed.
   */
  sent(context: IncomingRequest, secure: boolean): string | null
  /**
   * Returns the id of the session of the answer: the one that was sent or begun already, or a new
   * one.
   */
  current(context: RequestContext, secure: boolean): string
  /** Begins a new session for the answer. */
  renew(context: RequestContext, secure: boolean): void
}

/** The plain name of the cookie. */
export const CSRF_COOKIE = 'quillgate_csrf'

const VALUE = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/
const ID_BYTES = 18

/** Creates the sessions for one secret. See `createCsrf` for what they promise. */
export function createCsrfSessions(secret: string | readonly string[]): CsrfSessions {
  const keys = deriveKeys(secret, 'csrf-session')
  const [signingKey] = keys
  const sign = (id: string): string => `${id}.${signature(signingKey, id)}`
  const sentValue = ({ request }: IncomingRequest, secure: boolean): string =>
    parseCookies(request.headers.get('cookie')).get(cookieName(CSRF_COOKIE, secure)) ?? ''
  const sent: CsrfSessions['sent'] = (context, secure) => {
    const [, id, mac] = VALUE.exec(sentValue(context, secure)) ?? []
    if (id === undefined || mac === undefined) return null
    return keys.some((key) => equal(mac, signature(key, id))) ? id : null
  }
  const begin = (
    context: RequestContext,
    secure: boolean,
    id: string,
    previous: string | null,
  ): string => {
    const value = sign(id)
    if (sentValue(context, secure) !== value) {
      const name = cookieName(CSRF_COOKIE, secure)
      context.cookies.set(serializeCookie(name, value, { secure, httpOnly: false }))
    }
    context.state.csrf = { id, previous }
    return id
  }
  return {
    sent,
    current(context, secure) {
      const { csrf } = context.state
      return csrf?.id ?? begin(context, secure, sent(context, secure) ?? newId(), null)
    },
    renew(context, secure) {
      begin(context, secure, newId(), context.state.csrf?.previous ?? sent(context, secure))
    },
  }
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

import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKeys } from '../../core/keys.ts'
import type { IncomingRequest, RequestContext } from '../context.ts'
import { cookieName, parseCookies } from '../cookies.ts'

const COOKIE = 'quillgate_csrf'
const VALUE = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/
const ID_BYTES = 18

/** The signed cookie with the id of an anonymous session. */
export class CsrfSessions {
  readonly #keys: [Buffer, ...Buffer[]]

  constructor(secret: string | readonly string[]) {
    this.#keys = deriveKeys(secret, 'csrf-session')
  }

  /** Returns the value of the cookie that the browser sent. */
  cookie({ request }: IncomingRequest, secure: boolean): string | undefined {
    return parseCookies(request.headers.get('cookie')).get(csrfCookie(secure))
  }

  /**
   * Returns the id of the session that the browser sent, or null if it sent none that we signed.
   */
  sent(context: IncomingRequest, secure: boolean): string | null {
    const [, id, mac] = VALUE.exec(this.cookie(context, secure) ?? '') ?? []
    if (id === undefined || mac === undefined) return null
    const isSigned = (key: Buffer): boolean =>
      timingSafeEqual(Buffer.from(mac), Buffer.from(signature(key, id)))
    return this.#keys.some(isSigned) ? id : null
  }

  /**
   * Returns the id of the session of the answer: the one that was sent or begun already, or a new
   * one.
   */
  current(context: RequestContext, secure: boolean): string {
    const id = context.csrf?.id ?? this.sent(context, secure) ?? newId()
    if (!context.csrf) this.#begin(context, secure, id, null)
    return id
  }

  /** Begins a new session for the answer. */
  renew(context: RequestContext, secure: boolean): void {
    const previous = context.csrf?.previous ?? this.sent(context, secure)
    this.#begin(context, secure, newId(), previous)
  }

  #begin(context: RequestContext, secure: boolean, id: string, previous: string | null): void {
    const value = `${id}.${signature(this.#keys[0], id)}`
    if (this.cookie(context, secure) !== value)
      context.cookies.set({ name: csrfCookie(secure), value, secure, httpOnly: false })
    context.csrf = { id, previous }
  }
}

/** The full name of the cookie. */
export function csrfCookie(secure: boolean): string {
  return cookieName(COOKIE, secure)
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}

function signature(key: Buffer, id: string): string {
  return createHmac('sha256', key).update(id).digest('base64url')
}

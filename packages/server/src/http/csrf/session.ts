import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKeys } from '../../core/keys.ts'
import type { IncomingRequest, RequestContext } from '../context.ts'
import { cookieName, parseCookies } from '../cookies.ts'
import type { Network } from '../network/network.ts'

const COOKIE = 'quillgate_csrf'
const VALUE = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/
const ID_BYTES = 18

/** The signed cookie with the id of an anonymous session. */
export class CsrfSessions {
  readonly #keys: [Buffer, ...Buffer[]]
  readonly #network: Pick<Network, 'isSecure'>

  constructor(secret: string | readonly string[], network: Pick<Network, 'isSecure'>) {
    this.#keys = deriveKeys(secret, 'csrf-session')
    this.#network = network
  }

  name(context: IncomingRequest): string {
    return cookieName(COOKIE, this.#network.isSecure(context))
  }

  cookie(context: IncomingRequest): string | undefined {
    return parseCookies(context.request.headers.get('cookie')).get(this.name(context))
  }

  /** Returns null if the cookie of the browser is missing or does not have our signature. */
  sent(context: IncomingRequest): string | null {
    const [, id, mac] = VALUE.exec(this.cookie(context) ?? '') ?? []
    if (id === undefined || mac === undefined) return null
    const isSigned = (key: Buffer): boolean =>
      timingSafeEqual(Buffer.from(mac), Buffer.from(signature(key, id)))
    return this.#keys.some(isSigned) ? id : null
  }

  /** The session that this request has begun, the one that the browser sent, or a new one. */
  current(context: RequestContext): string {
    const id = context.csrf?.id ?? this.sent(context) ?? newId()
    if (!context.csrf) this.#begin(context, id, null)
    return id
  }

  renew(context: RequestContext): void {
    const previous = context.csrf?.previous ?? this.sent(context)
    this.#begin(context, newId(), previous)
  }

  #begin(context: RequestContext, id: string, previous: string | null): void {
    const value = `${id}.${signature(this.#keys[0], id)}`
    const secure = this.#network.isSecure(context)
    if (this.cookie(context) !== value)
      context.cookies.set({ name: this.name(context), value, secure, httpOnly: false })
    context.csrf = { id, previous }
  }
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}

function signature(key: Buffer, id: string): string {
  return createHmac('sha256', key).update(id).digest('base64url')
}

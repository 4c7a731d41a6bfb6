import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ConfigurationError, csrfFailed } from '../../core/errors.ts'
import { deriveKeys } from '../../core/keys.ts'
import type { Logger } from '../../core/logger.ts'
import { toUserId, type UserId } from '../../core/user-id.ts'
import { csrfTokenFrom, hasBearer } from '../authorization.ts'
import type { Authentication, IncomingRequest, RequestContext } from '../context.ts'
import { cookieName, parseCookies } from '../cookies.ts'
import type { Network } from '../network/network.ts'
import { createRejectionLog, type RejectionCause } from './rejection-log.ts'

/** The signed-in user to whom a CSRF token belongs. The ids 1 and '1' mean the same user. */
export interface CsrfUser {
  readonly id: UserId
}

/** The application's own CSRF protection, for the option `csrf`. */
export interface CsrfVerifier {
  /**
   * Checks a request. Not called for requests that need no CSRF token because of a bearer token.
   *
   * @param token the `x-csrf-token` header or the form field `csrf_token`
   * @param user the signed-in user, or null
   */
  verify(
    context: RequestContext,
    token: string | null,
    user: CsrfUser | null,
  ): boolean | Promise<boolean>
  /**
   * Returns the id of the visitor's anonymous session, or null. The id must be unguessable, and
   * `verify` must check it. The session owns the visitor's uploads. Without this function,
   * anonymous visitors cannot upload (401).
   */
  session?(context: RequestContext): string | null
}

/** The CSRF protection of an application object. */
export interface Csrf {
  /** Returns a token, and sets its cookie. @throws QuillgateError 500 `invalid_user` */
  token(context: RequestContext, user: CsrfUser | null): string
  /**
   * Returns true if the headers name our own origin, the cookie has our signature, and the token
   * belongs to the cookie and the user.
   *
   * @throws QuillgateError 500 `invalid_user` for a user without a usable id
   */
  verify: CsrfVerifier['verify']
  /** Returns the unguessable id of the session, or null. {@link Csrf.rotate} changes the id. */
  session(context: RequestContext): string | null
  /** Begins a new session. Earlier tokens become invalid. Called at sign-in and sign-out. */
  rotate(context: RequestContext): void
}

/** Options of {@link createCsrf}. */
export interface CsrfOptions {
  readonly secret: string | readonly string[]
  readonly network: Pick<Network, 'isSecure' | 'origin'>
  readonly logger: Pick<Logger, 'warn'>
}

const MAC_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{86}$/

/**
 * Creates the CSRF protection of an application (OWASP Cross-Site Request Forgery Prevention). It
 * checks the origin and a signed double-submit token.
 *
 * The cookie contains a random session id and a signature, so that forged cookies are rejected. The
 * token is an HMAC over the session and the user. Each page gets the token with another random
 * mask, so that the size of compressed pages does not reveal the token (BREACH).
 *
 * @throws ConfigurationError for a short secret
 */
export function createCsrf({ secret, network, logger }: CsrfOptions): Csrf {
  const sessions = new CsrfSessions(secret, network)
  const keys = deriveKeys(secret, 'csrf-token')
  const log = createRejectionLog(logger)
  return {
    token(context, user) {
      const id = sessions.current(context)
      return mask(tokenMac(keys[0], id, user))
    },
    verify(context, token, user) {
      const id = sessions.sent(context)
      const mac = unmask(token)
      const isReadable = id !== null && mac !== null
      const isGenuine =
        isReadable && keys.some((key) => timingSafeEqual(mac, tokenMac(key, id, user)))
      const origin = network.origin(context)
      const isOurs = isSameOrigin(context.request, origin)
      if (isGenuine && !isOurs) log.otherOrigin(context.request, origin)
      if (isOurs && !isGenuine) {
        const hasCookie = sessions.cookie(context) !== undefined
        log.ownOrigin(causeOf(token, hasCookie, isReadable), sessions.name(context))
      }
      return isGenuine && isOurs
    },
    session: (context) => sessions.sent(context),
    rotate: (context) => sessions.renew(context),
  }
}

function causeOf(token: string | null, hasCookie: boolean, isReadable: boolean): RejectionCause {
  if (!token) return 'no token'
  if (!hasCookie) return 'no cookie'
  return isReadable ? 'other session' : 'other secret'
}

/** Adapts the application's own CSRF protection to the interface {@link Csrf}. */
export function ownCsrf(own: CsrfVerifier): Csrf {
  return {
    token() {
      const problem =
        'is not available with the option csrf, because your application creates tokens'
      throw new ConfigurationError('gate.csrfToken', problem)
    },
    verify: (context, token, user) => own.verify(context, token, user),
    session: (context) => own.session?.(context) ?? null,
    rotate() {},
  }
}

/**
 * Returns true if a request has a valid CSRF token or needs none. It needs none if a bearer token
 * identifies its user, or if it has a `Bearer` or `DPoP` token and no cookies.
 *
 * @param readToken called only if the request needs a token; by default, reads `x-csrf-token`
 */
export async function isProtected(
  csrf: Pick<Csrf, 'verify'>,
  context: RequestContext,
  identity: Authentication | null,
  readToken = async (): Promise<string | null> => csrfTokenFrom(context.request),
): Promise<boolean> {
  const { headers } = context.request
  const isWithoutCookies = hasBearer(context.request) && !headers.get('cookie')
  if (identity?.isBearer || isWithoutCookies) return true
  return csrf.verify(context, await readToken(), identity?.user ?? null)
}

/** Checks a request. @throws QuillgateError 403 `csrf_failed` if {@link isProtected} is false */
export async function requireCsrf(
  csrf: Pick<Csrf, 'verify'>,
  context: RequestContext,
  identity: Authentication | null,
  readToken?: () => Promise<string | null>,
): Promise<void> {
  if (!(await isProtected(csrf, context, identity, readToken))) throw csrfFailed()
}

/**
 * Returns true if a page of the origin sent the request. If the header `Origin` is missing or
 * `null`, `Sec-Fetch-Site` must be `same-origin`.
 */
export function isSameOrigin(request: Request, origin: string): boolean {
  const sent = request.headers.get('origin')
  if (sent !== null && sent !== 'null') return sent === origin
  return request.headers.get('sec-fetch-site') === 'same-origin'
}

function tokenMac(key: Buffer, session: string, user: CsrfUser | null): Buffer {
  // JSON separates session and user. Otherwise, two different pairs could have the same MAC.
  const bound = JSON.stringify(user ? [session, toUserId(user.id)] : [session])
  return createHmac('sha256', key).update(bound).digest()
}

function mask(mac: Buffer): string {
  const random = randomBytes(MAC_BYTES)
  return Buffer.concat([random, xor(mac, random)]).toString('base64url')
}

function unmask(token: string | null): Buffer | null {
  if (token === null || !TOKEN.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  return xor(bytes.subarray(MAC_BYTES), bytes.subarray(0, MAC_BYTES))
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)))
}

const COOKIE = 'quillgate_csrf'
const VALUE = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/
const ID_BYTES = 18

/** Reads and writes the signed cookie with the id of an anonymous session. */
class CsrfSessions {
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

  /** Returns the id in the cookie, or null if the cookie is missing or has a wrong signature. */
  sent(context: IncomingRequest): string | null {
    const [, id, mac] = VALUE.exec(this.cookie(context) ?? '') ?? []
    if (id === undefined || mac === undefined) return null
    const isSigned = (key: Buffer): boolean =>
      timingSafeEqual(Buffer.from(mac), Buffer.from(signature(key, id)))
    return this.#keys.some(isSigned) ? id : null
  }

  /** Returns the id of the current session. If there is no session, begins one. */
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

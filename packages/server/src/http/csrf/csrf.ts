import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ConfigurationError } from '../../core/errors.ts'
import { deriveKeys } from '../../core/keys.ts'
import type { Logger } from '../../core/logger.ts'
import { toUserId, type UserId } from '../../core/user-id.ts'
import { hasBearer } from '../authorization.ts'
import type { Identity, RequestContext } from '../context.ts'
import { cookieName } from '../cookies.ts'
import type { Network } from '../network/network.ts'
import { createOriginLog } from './csrf-origin-log.ts'
import { createRefusalLog } from './csrf-refusal-log.ts'
import { CSRF_COOKIE, createCsrfSessions } from './csrf-session.ts'

/** A signed-in user. Ids 1 and '1' are the same user. */
export interface CsrfUser {
  readonly id: UserId
}

/** CSRF protection of the application's own, for the option `csrf`. */
export interface CsrfVerifier {
  /**
   * Returns true if one of our own pages made a state-changing request. It is not called for a
   * request with `Authorization: Bearer` or `DPoP` and without cookies.
   *
   * @param token what the client sent in the `x-csrf-token` header or the `csrf_token` form field
   * @param user the signed-in user, or null
   */
  verify(
    context: RequestContext,
    token: string | null,
    user: CsrfUser | null,
  ): boolean | Promise<boolean>
  /**
   * Returns the id of the anonymous session of a request, or null. It is unguessable and checked by
   * `verify`. It owns what anonymous visitors upload. Without this function they cannot upload
   * (401).
   */
  session?(context: RequestContext): string | null
}

/** The CSRF protection of an application object. */
export interface Csrf {
  /**
   * Returns a token for the page that answers this request, and sets the cookie if the browser has
   * no good one. Tokens of one request belong to the same session.
   *
   * @throws QuillgateError 500 `invalid_user` for a user without a usable id
   */
  token(context: RequestContext, user: CsrfUser | null): string
  /**
   * Returns true if the browser says that the request comes from our own origin (`Origin` equal to
   * it; or without an `Origin`, or with `null`, `Sec-Fetch-Site: same-origin`; neither: false), the
   * cookie is ours, and the token belongs to it and to this user. Nothing in a request makes it
   * throw.
   *
   * @throws QuillgateError 500 `invalid_user` for a user without a usable id
   */
  verify(
    context: RequestContext,
    token: string | null,
    user: CsrfUser | null,
  ): boolean | Promise<boolean>
  /**
   * Returns the id of the anonymous session that the browser sent, or null. It is stable until
   * {@link Csrf.rotate} and unguessable, so that it can own what an anonymous visitor uploads.
   */
  session(context: RequestContext): string | null
  /**
   * Begins a new session at sign-in and sign-out. Tokens of the previous session stop working in
   * this browser.
   */
  rotate(context: RequestContext): void
}

/** How {@link createCsrf} protects. */
export interface CsrfOptions {
  readonly secret: string | readonly string[]
  readonly network: Pick<Network, 'isSecure' | 'origin'>
  /**
   * Gets a warning if pages that may be our own are refused. Either a good token came from another
   * origin than expected, most often because `publicOrigin` or `trustedProxies` is missing; each
   * pair of origins is logged once a minute. Or a request of our own origin had no token, no
   * cookie, or one of another secret, user or session; each cause is logged once.
   */
  readonly logger: Pick<Logger, 'warn'>
}

const MAC_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{86}$/

/**
 * Creates the CSRF protection of an application: signed double-submit tokens bound to session and
 * user, and a check of where the request comes from (OWASP Cross-Site Request Forgery Prevention).
 *
 * The cookie `quillgate_csrf` (`__Host-quillgate_csrf` on https, readable by scripts) holds a
 * random session id and a signature, so that a planted cookie is refused. The token is an HMAC over
 * session and user. Each call masks it differently, so that compressed pages do not reveal it
 * (BREACH). Nothing is stored on the server.
 *
 * @throws ConfigurationError for a short secret
 */
export function createCsrf({ secret, network, logger }: CsrfOptions): Csrf {
  const sessions = createCsrfSessions(secret)
  const keys = deriveKeys(secret, 'csrf-token')
  const originLog = createOriginLog(logger)
  const logRefusal = createRefusalLog(logger)
  return {
    token(context, user) {
      const id = sessions.current(context, network.isSecure(context))
      return mask(tokenMac(keys[0], id, user))
    },
    verify(context, token, user) {
      const secure = network.isSecure(context)
      const id = sessions.sent(context, secure)
      const mac = unmask(token)
      const isReadable = id !== null && mac !== null
      const isGenuine =
        isReadable && keys.some((key) => timingSafeEqual(mac, tokenMac(key, id, user)))
      const origin = network.origin(context)
      const isOurs = isSameOrigin(context.request, origin)
      if (isGenuine && !isOurs) originLog.refused(context.request, origin)
      if (isOurs && !isGenuine)
        logRefusal(context, { token, cookie: cookieName(CSRF_COOKIE, secure), isReadable })
      return isGenuine && isOurs
    },
    session: (context) => sessions.sent(context, network.isSecure(context)),
    rotate: (context) => sessions.renew(context, network.isSecure(context)),
  }
}

/** Uses the application's own CSRF protection. */
export function ownCsrf(own: CsrfVerifier): Csrf {
  return {
    token() {
      const problem = 'is not available with the option csrf: your application makes the tokens'
      throw new ConfigurationError('gate.csrfToken', problem)
    },
    verify: (context, token, user) => own.verify(context, token, user),
    session: (context) => own.session?.(context) ?? null,
    rotate() {},
  }
}

/**
 * Returns true if a request has a good CSRF token, or needs none. Other sites can make a browser
 * send its cookies, but not an `Authorization` header with `Bearer` or `DPoP`.
 *
 * @param identity who made the request
 * @param readToken called only if the request needs a token
 */
export async function checkCsrf(
  csrf: Pick<Csrf, 'verify'>,
  context: RequestContext,
  identity: Identity | null,
  readToken: () => Promise<string | null>,
): Promise<boolean> {
  const { headers } = context.request
  const isWithoutCookies = hasBearer(context.request) && !headers.get('cookie')
  if (identity?.isBearer || isWithoutCookies) return true
  return csrf.verify(context, await readToken(), identity?.user ?? null)
}

function isSameOrigin(request: Request, origin: string): boolean {
  const sent = request.headers.get('origin')
  if (sent !== null && sent !== 'null') return sent === origin
  return request.headers.get('sec-fetch-site') === 'same-origin'
}

function tokenMac(key: Buffer, session: string, user: CsrfUser | null): Buffer {
  // JSON keeps the parts apart: an anonymous session is no user, whatever that user's id is.
  const bound = JSON.stringify(user ? [session, toUserId(user.id)] : [session])
  return createHmac('sha256', key).update(bound).digest()
}

/** A random mask, then the MAC under it. */
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

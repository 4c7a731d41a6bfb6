import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { anything, has } from '../../core/checks.ts'
import { deriveKeys } from '../../core/keys.ts'
import type { Logger } from '../../core/logger.ts'
import { field, type Input, parse, required } from '../../core/schema.ts'
import { toUserId, type UserId } from '../../core/user-id.ts'
import { type RequestContext, requireContext } from '../context.ts'
import { cookieName } from '../cookies.ts'
import { createNetwork, NETWORK_OPTIONS } from '../network/network.ts'
import { createOriginLog } from './csrf-origin-log.ts'
import { createRefusalLog } from './csrf-refusal-log.ts'
import { createCsrfSessions } from './csrf-session.ts'

/** Somebody signed in, as far as CSRF tokens are concerned. Ids 1 and '1' are the same user. */
export interface CsrfUser {
  readonly id: UserId
}

/** What a component needs of CSRF protection, so that an application with its own can pass `csrf: { verify }`. */
export interface CsrfVerifier {
  /**
   * Says whether a state-changing request that is authenticated by cookies, or not at all, was really made by our own
   * pages. Requests with `Authorization: Bearer` or `DPoP` are not asked about (`hasBearer`).
   *
   * @param token what the client sent in the `x-csrf-token` header or the `csrf_token` form field
   * @param user who is signed in, or null
   */
  verify(
    context: RequestContext,
    token: string | null,
    user?: CsrfUser | null,
  ): boolean | Promise<boolean>
  /**
   * Id of the anonymous session of a request, or null when it has none: opaque, unguessable, and checked by `verify`.
   * It owns what anonymous visitors upload, so without this function they cannot upload (401), whatever `requireAuth` says.
   */
  session?(context: RequestContext): string | null
}

/** The options of {@link createCsrf}. */
export const CSRF_OPTIONS = {
  /** The application's secret, at least 32 bytes; several, newest first, while one replaces another. */
  secret: required(anything<string | readonly string[]>()),
  /** Plain name of the cookie. Parties that accept each other's tokens use the same name. */
  cookie: field(anything<string>(), 'quillgate_csrf'),
  ...NETWORK_OPTIONS,
  /**
   * Gets a warning if pages that may be our own are refused. Either a good token came from another origin than
   * expected, most often because `publicOrigin` or `trustedProxies` is missing; each pair of origins is logged once a
   * minute. Or a request of our own origin had no token, no cookie, or one of another secret, user or session; each
   * cause is logged once.
   */
  logger: field(has<Logger>('warn'), console),
}

/** How {@link createCsrf} protects. */
export type CsrfOptions = Input<typeof CSRF_OPTIONS>

/** A token for a page or a client, and what must go with it. */
export interface IssuedCsrf {
  /** For a hidden field `csrf_token` or the `x-csrf-token` header. Differs at each call, valid as long as the session. */
  readonly token: string
  /** `set-cookie` when the browser has no good cookie yet, else empty. Append these to the answer. */
  readonly headers: Headers
}

/** CSRF protection that both components and the application share. */
export interface Csrf extends CsrfVerifier {
  /** Makes a token for the page that answers this request. Two calls for one request belong to the same session. @throws QuillgateError 500 `invalid_user` for a user without a usable id */
  issue(context: RequestContext, user?: CsrfUser | null): IssuedCsrf
  /**
   * True when the browser says that the request comes from our own origin (`Origin` equal to it; or without an
   * `Origin`, or with `null`, `Sec-Fetch-Site: same-origin`; neither: refused), the cookie is ours, and the token
   * belongs to it and to this user. Nothing in a request makes it throw.
   *
   * @throws QuillgateError 500 `invalid_user` for a user without a usable id
   */
  verify(context: RequestContext, token: string | null, user?: CsrfUser | null): boolean
  /**
   * Id of the anonymous session that the browser sent, or null without one of ours. It is stable until
   * {@link Csrf.rotate} and unguessable, so it can own what an anonymous visitor uploads.
   */
  session(context: RequestContext): string | null
  /**
   * Begins a new session; call it at sign-in and sign-out, with the user who is signed in from now on. Tokens of the
   * session before stop working in this browser.
   *
   * @returns `previous`: the id of the session before, whose uploads can be claimed for the user
   */
  rotate(
    context: RequestContext,
    user?: CsrfUser | null,
  ): IssuedCsrf & { readonly previous: string | null }
}

const MAC_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{86}$/

/**
 * Creates the CSRF protection of an application: signed double-submit tokens bound to session and user, and a check of
 * where the request comes from (OWASP Cross-Site Request Forgery Prevention).
 *
 * The cookie `quillgate_csrf` (`__Host-quillgate_csrf` on https, readable by scripts) holds a random session id and our
 * signature, so a cookie that somebody else planted is not taken. The token is an HMAC over session and user; it is
 * masked anew at each call, so that compressed pages do not give it away (BREACH). Nothing is stored on the server.
 *
 * Every `createCsrf` with the same secret and name of the cookie accepts the tokens of the others: the application and both
 * components may each have their own. Simpler is to make one and pass it to both as `csrf`.
 *
 * @throws ConfigurationError for a short secret, a bad origin, proxy range or cookie name, and for an option that does
 * not exist
 *
 * @example
 * const csrf = createCsrf({ secret, publicOrigin: 'https://example.com' })
 * // The page with the form: <input type="hidden" name="csrf_token" value="…">
 * const { token, headers } = csrf.issue(context, user)
 * // The request that it sends:
 * if (!csrf.verify(context, form.get('csrf_token'), user)) throw csrfFailed()
 */
export function createCsrf(options: CsrfOptions): Csrf {
  const { secret, cookie, logger, ...place } = parse(CSRF_OPTIONS, options)
  const sessions = createCsrfSessions(secret, cookie)
  const keys = deriveKeys(secret, `csrf-token:${cookie}`)
  const network = createNetwork(place)
  const originLog = createOriginLog(logger)
  const logRefusal = createRefusalLog(logger)
  const tokenFor = (id: string, user?: CsrfUser | null): string => mask(tokenMac(keys[0], id, user))
  return {
    issue(context, user) {
      requireContext(context, 'csrf.issue')
      const { id, headers } = sessions.current(context, network.isSecure(context))
      return { token: tokenFor(id, user), headers }
    },
    verify(context, token, user) {
      requireContext(context, 'csrf.verify')
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
        logRefusal(context, { token, cookie: cookieName(cookie, secure), isReadable })
      return isGenuine && isOurs
    },
    session: (context) => sessions.sent(context, network.isSecure(context)),
    rotate(context, user) {
      requireContext(context, 'csrf.rotate')
      const secure = network.isSecure(context)
      const previous = sessions.sent(context, secure)
      const { id, headers } = sessions.renew(context, secure)
      return { token: tokenFor(id, user), headers, previous }
    },
  }
}

function isSameOrigin(request: Request, origin: string): boolean {
  const sent = request.headers.get('origin')
  if (sent !== null && sent !== 'null') return sent === origin
  return request.headers.get('sec-fetch-site') === 'same-origin'
}

function tokenMac(key: Buffer, session: string, user?: CsrfUser | null): Buffer {
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

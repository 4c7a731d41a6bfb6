import { createHmac } from 'node:crypto'
import {
  cookieName,
  hasBearer,
  type Network,
  parseCookies,
  type RequestContext,
} from '@quillgate/server/http'
import type { InstanceNames } from '../../instance-names.ts'

/**
 * The cookies of a browser: one session, and one device credential for each user who signed in
 * there. Cookies of a request with `Authorization: Bearer` do not count.
 */
export interface LoginCookies {
  /** The plain name of the session cookie. */
  readonly sessionName: string
  /** The session token, or null. */
  session(context: RequestContext): string | null
  /** The device credential of this user, or null. */
  credential(context: RequestContext, userId: string): string | null
  /** The device credentials of all users of this browser. */
  credentials(context: RequestContext): string[]
  /** @param options `isRenewal`: the session of the browser continues */
  setSession(
    context: RequestContext,
    token: string,
    options?: { readonly isRenewal: boolean },
  ): void
  clearSession(context: RequestContext): void
  setCredential(context: RequestContext, userId: string, credential: string): void
}

const TAG = /^[0-9a-f]{12}$/ // Names that are not ours are left alone: a client may send any, and many.
const SIGNED_IN_AT = /\.(\d{1,12})$/ // Seconds since the epoch, after the credential.
/**
 * Seconds that browsers keep our cookies; they keep nothing for longer (RFC 6265bis §5.5). The
 * server decides when a session ends, by the device's last use: a shorter time here would end it
 * where a renewed cookie does not arrive.
 */
const COOKIE_AGE = 400 * 86_400
const USERS_PER_BROWSER = 5
const REMOVED_AT_ONCE = 10 // Proxies take only so many bytes of headers; what is left goes at the next login.

/** How {@link createLoginCookies} works. */
export interface BrowserCookieOptions {
  readonly network: Network
  readonly names: Pick<InstanceNames, 'sessionCookie' | 'credentialCookie'>
  /**
   * They hide user ids in the names of credential cookies: the first one names, all are looked for.
   */
  readonly nameKeys: readonly [Buffer, ...Buffer[]]
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** Reads and writes the cookies. */
export function createLoginCookies(options: BrowserCookieOptions): LoginCookies {
  const { network, nameKeys, clock } = options
  const { sessionCookie, credentialCookie } = options.names
  const sent = ({ request }: RequestContext): Map<string, string> =>
    hasBearer(request) ? new Map() : parseCookies(request.headers.get('cookie'))
  const nameFor = (userId: string, secure: boolean, key = nameKeys[0]): string => {
    const tag = createHmac('sha256', key).update(userId).digest('hex').slice(0, 12)
    return cookieName(credentialCookie + tag, secure)
  }
  return {
    sessionName: sessionCookie,
    session: (context) =>
      sent(context).get(cookieName(sessionCookie, network.isSecure(context))) ?? null,
    credential(context, userId) {
      const cookies = sent(context)
      const names = nameKeys.map((key) => nameFor(userId, network.isSecure(context), key))
      const value = names.map((name) => cookies.get(name)).find((found) => found !== undefined)
      return value === undefined ? null : value.replace(SIGNED_IN_AT, '')
    },
    credentials(context) {
      return credentialsAmong(
        sent(context),
        cookieName(credentialCookie, network.isSecure(context)),
      )
        .slice(0, USERS_PER_BROWSER)
        .map(([, value]) => value.replace(SIGNED_IN_AT, ''))
    },
    setSession(context, token, options) {
      const secure = network.isSecure(context)
      const name = cookieName(sessionCookie, secure)
      context.cookies.set({ name, value: token, secure, maxAge: COOKIE_AGE, ...options })
    },
    clearSession(context) {
      const secure = network.isSecure(context)
      const name = cookieName(sessionCookie, secure)
      context.cookies.set({ name, value: '', secure, maxAge: 0 })
    },
    setCredential(context, userId, credential) {
      const secure = network.isSecure(context)
      const name = nameFor(userId, secure)
      const others = credentialsAmong(sent(context), cookieName(credentialCookie, secure)).filter(
        ([other]) => other !== name,
      )
      for (const other of surplus(others))
        context.cookies.set({ name: other, value: '', secure, maxAge: 0 })
      const value = `${credential}.${Math.floor(clock() / 1000)}`
      context.cookies.set({ name, value, secure, maxAge: COOKIE_AGE })
    },
  }
}

/**
 * Returns the credential cookies to remove, so that a shared computer does not collect more than
 * servers accept in headers: those of the users who signed in longest ago. Browsers send cookies in
 * the order of their creation, which a renewal does not change, so each cookie contains the time of
 * its sign-in. A wrong time only harms the browser itself.
 */
function surplus(others: readonly [name: string, value: string][]): string[] {
  const oldestFirst = others
    .map(([name, value]) => ({ name, signedInAt: Number(SIGNED_IN_AT.exec(value)?.[1] ?? 0) }))
    .sort((a, b) => a.signedInAt - b.signedInAt)
  const count = Math.max(0, others.length + 1 - USERS_PER_BROWSER)
  return oldestFirst.slice(0, Math.min(count, REMOVED_AT_ONCE)).map(({ name }) => name)
}

function credentialsAmong(
  cookies: ReadonlyMap<string, string>,
  prefix: string,
): [name: string, value: string][] {
  return [...cookies].filter(
    ([name]) => name.startsWith(prefix) && TAG.test(name.slice(prefix.length)),
  )
}

import { createHmac } from 'node:crypto'
import {
  cookieName,
  hasBearer,
  type Network,
  parseCookies,
  type RequestContext,
  serializeCookie,
} from '@quillgate/http'

/**
 * The cookies of a browser: one session, and one device credential for each user who signed in there. Cookies of a
 * request with `Authorization: Bearer` do not count.
 */
export interface BrowserCookies {
  /** The session token, or null. */
  session(context: RequestContext): string | null
  /** The device credential of this user, or null. */
  credential(context: RequestContext, userId: string): string | null
  setSession(headers: Headers, context: RequestContext, token: string): void
  clearSession(headers: Headers, context: RequestContext): void
  setCredential(headers: Headers, context: RequestContext, userId: string, credential: string): void
}

const SESSION = 'quillgate_session'
const CREDENTIAL = 'quillgate_device_'
const CREDENTIAL_AGE = 400 * 86_400 // Seconds; browsers keep nothing for longer (RFC 6265bis §5.5).
const USERS_PER_BROWSER = 5

/** How {@link createBrowserCookies} works. */
export interface BrowserCookieOptions {
  readonly network: Network
  /** They hide user ids in the names of credential cookies: the first one names, all are looked for. */
  readonly nameKeys: readonly [Buffer, ...Buffer[]]
  /** Seconds. */
  readonly sessionAge: number
}

/** Reads and writes the cookies. */
export function createBrowserCookies({ network, nameKeys, sessionAge }: BrowserCookieOptions): BrowserCookies {
  const sent = ({ request }: RequestContext): Map<string, string> =>
    hasBearer(request) ? new Map() : parseCookies(request.headers.get('cookie'))
  const nameFor = (userId: string, secure: boolean, key = nameKeys[0]): string => {
    const tag = createHmac('sha256', key).update(userId).digest('hex').slice(0, 12)
    return cookieName(CREDENTIAL + tag, secure)
  }
  const set = (headers: Headers, name: string, value: string, secure: boolean, maxAge: number): void =>
    headers.append('set-cookie', serializeCookie(name, value, { secure, maxAge }))
  return {
    session: (context) => sent(context).get(cookieName(SESSION, network.isSecure(context))) ?? null,
    credential(context, userId) {
      const cookies = sent(context)
      const names = nameKeys.map((key) => nameFor(userId, network.isSecure(context), key))
      return names.map((name) => cookies.get(name)).find((value) => value !== undefined) ?? null
    },
    setSession(headers, context, token) {
      const secure = network.isSecure(context)
      set(headers, cookieName(SESSION, secure), token, secure, sessionAge)
    },
    clearSession(headers, context) {
      const secure = network.isSecure(context)
      set(headers, cookieName(SESSION, secure), '', secure, 0)
    },
    setCredential(headers, context, userId, credential) {
      const secure = network.isSecure(context)
      const name = nameFor(userId, secure)
      const others = [...sent(context).keys()].filter(
        (other) => other !== name && other.startsWith(cookieName(CREDENTIAL, secure)),
      )
      // Browsers send older cookies first; a shared computer would else collect them until no server takes its headers.
      for (const other of others.slice(0, Math.max(0, others.length + 1 - USERS_PER_BROWSER))) {
        set(headers, other, '', secure, 0)
      }
      set(headers, name, credential, secure, CREDENTIAL_AGE)
    },
  }
}

import {
  cookieName,
  hasBearer,
  type Network,
  parseCookies,
  type RequestContext,
} from '@quillgate/server/http'
import type { InstanceNames } from '../../instance-names.ts'

/**
 * The cookies of a browser: one with its session, and one with the device credentials of the users
 * who signed in there. Cookies of a request with `Authorization: Bearer` do not count.
 */
export interface LoginCookies {
  /** The plain name of the session cookie. */
  readonly sessionName: string
  /** The session token, or null. */
  session(context: RequestContext): string | null
  /** The device credentials, not checked yet. Those of the latest sign-in come first. */
  credentials(context: RequestContext): string[]
  /** @param options `isRenewal`: the session of the browser continues */
  setSession(
    context: RequestContext,
    token: string,
    options?: { readonly isRenewal: boolean },
  ): void
  clearSession(context: RequestContext): void
  /** Sets the device credentials. Only the first five are kept. */
  setCredentials(context: RequestContext, credentials: readonly string[]): void
}

/**
 * Seconds that browsers keep our cookies; they keep nothing for longer (RFC 6265bis §5.5). The
 * server decides when a session ends, by the device's last use: a shorter time here would end it
 * where a renewed cookie does not arrive.
 */
const COOKIE_AGE = 400 * 86_400
const USERS_PER_BROWSER = 5
const SEPARATOR = '.' // Not in a credential.

/** Reads and writes the cookies. */
export function createLoginCookies(
  network: Network,
  { sessionCookie, deviceCookie }: Pick<InstanceNames, 'sessionCookie' | 'deviceCookie'>,
): LoginCookies {
  const read = (context: RequestContext, plainName: string): string | null => {
    const { request } = context
    if (hasBearer(request)) return null
    const cookies = parseCookies(request.headers.get('cookie'))
    return cookies.get(cookieName(plainName, network.isSecure(context))) ?? null
  }
  const set = (context: RequestContext, plainName: string, value: string, options = {}): void => {
    const secure = network.isSecure(context)
    const name = cookieName(plainName, secure)
    context.cookies.set({ name, value, secure, maxAge: COOKIE_AGE, ...options })
  }
  return {
    sessionName: sessionCookie,
    session: (context) => read(context, sessionCookie),
    credentials(context) {
      const value = read(context, deviceCookie)
      return value === null ? [] : value.split(SEPARATOR, USERS_PER_BROWSER)
    },
    setSession: (context, token, options) => set(context, sessionCookie, token, options),
    clearSession: (context) => set(context, sessionCookie, '', { maxAge: 0 }),
    setCredentials(context, credentials) {
      set(context, deviceCookie, credentials.slice(0, USERS_PER_BROWSER).join(SEPARATOR))
    },
  }
}

import {
  cookieName,
  hasBearer,
  type Network,
  parseCookies,
  type RequestContext,
} from '@quillgate/server/http'
import type { InstanceNames } from '../../instance-names.ts'

/**
 * Seconds that browsers keep our cookies; they keep nothing for longer (RFC 6265bis §5.5). The
 * server decides when a session ends, by the device's last use. With a shorter time here, a session
 * would end early if a renewed cookie does not arrive.
 */
const COOKIE_AGE = 400 * 86_400
const USERS_PER_BROWSER = 5
const SEPARATOR = '.' // Not in a credential.

/**
 * The cookies of a browser: one with its session, and one with the device credentials of the users
 * who signed in there. Cookies of a request with `Authorization: Bearer` do not count.
 */
export class LoginCookies {
  /** The plain name of the session cookie. */
  readonly sessionName: string
  readonly #deviceName: string
  readonly #network: Network

  constructor(
    network: Network,
    { sessionCookie, deviceCookie }: Pick<InstanceNames, 'sessionCookie' | 'deviceCookie'>,
  ) {
    this.#network = network
    this.sessionName = sessionCookie
    this.#deviceName = deviceCookie
  }

  /** Returns the session token, or null. */
  session(context: RequestContext): string | null {
    return this.#read(context, this.sessionName)
  }

  /** Returns the device credentials, not checked yet. Those of the latest sign-in come first. */
  credentials(context: RequestContext): string[] {
    return this.#read(context, this.#deviceName)?.split(SEPARATOR, USERS_PER_BROWSER) ?? []
  }

  /** @param isRenewal true if the session of the browser continues */
  setSession(context: RequestContext, token: string, isRenewal = false): void {
    this.#set(context, this.sessionName, token, { isRenewal })
  }

  clearSession(context: RequestContext): void {
    this.#set(context, this.sessionName, '', { maxAge: 0 })
  }

  /** Sets the device credentials. Only the first five are kept. */
  setCredentials(context: RequestContext, credentials: readonly string[]): void {
    const value = credentials.slice(0, USERS_PER_BROWSER).join(SEPARATOR)
    this.#set(context, this.#deviceName, value)
  }

  #read(context: RequestContext, plainName: string): string | null {
    const { request } = context
    if (hasBearer(request)) return null
    const cookies = parseCookies(request.headers.get('cookie'))
    return cookies.get(cookieName(plainName, this.#network.isSecure(context))) ?? null
  }

  #set(context: RequestContext, plainName: string, value: string, options = {}): void {
    const secure = this.#network.isSecure(context)
    const name = cookieName(plainName, secure)
    context.cookies.set({ name, value, secure, maxAge: COOKIE_AGE, ...options })
  }
}

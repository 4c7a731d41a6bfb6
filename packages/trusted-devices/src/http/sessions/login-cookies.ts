import { ConfigurationError } from '@quillgate/server/core'
import {
  cookieName,
  hasBearer,
  type Network,
  parseCookies,
  type RequestContext,
} from '@quillgate/server/http'
import type { InstanceNames } from '../../instance-names.ts'

// Seconds. This is the longest age that browsers accept (RFC 6265bis §5.5). The server ends a
// session `refreshTokenLifetime` after the last use of its device. With a shorter `Max-Age`, a
// session would end too early if a renewed cookie did not arrive.
const COOKIE_AGE = 400 * 86_400
const USERS_PER_BROWSER = 5
const SEPARATOR = '.' // Does not occur in a credential.

/**
 * Reads and sets the two cookies of a browser. The session cookie contains the session token. The
 * device cookie contains the device credentials of the last five users who signed in with the
 * browser. If a request has a bearer token, its cookies are ignored.
 */
export class LoginCookies {
  /** The name of the session cookie, without the prefix `__Host-`. */
  readonly sessionName: string
  readonly #deviceName: string
  readonly #network: Network

  constructor(network: Network, { sessionCookie, deviceCookie }: InstanceNames) {
    this.#network = network
    this.sessionName = sessionCookie
    this.#deviceName = deviceCookie
  }

  session(context: RequestContext): string | null {
    return this.#read(context, this.sessionName)
  }

  /** Returns the device credentials of a request, newest sign-in first. They are not verified. */
  credentials(context: RequestContext): string[] {
    return this.#read(context, this.#deviceName)?.split(SEPARATOR, USERS_PER_BROWSER) ?? []
  }

  /** @param isRenewal true if a response for shared caches can omit the cookie */
  setSession(context: RequestContext, token: string, isRenewal = false): void {
    this.#set(context, this.sessionName, token, { isRenewal })
  }

  clearSession(context: RequestContext): void {
    this.#set(context, this.sessionName, '', { maxAge: 0 })
  }

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

/** Throws a ConfigurationError that names the method `call` if cookies can no longer be set. */
export function requireCookies({ cookies }: RequestContext, call: string): void {
  if (cookies.canSet()) return
  const problem =
    'sets cookies. Call it before the headers of the response are sent, in a route or a server action'
  throw new ConfigurationError(call, problem)
}

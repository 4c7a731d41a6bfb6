import type { Network, RequestContext } from '@quillgate/server/http'
import { adoptSession, login } from '../../devices/login/login.ts'
import type { Credential, LoginAttempt } from '../../devices/login/recognize.ts'
import type { RegistryParts } from '../../devices/registry.ts'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import type { TrustedDevice } from '../../devices/tables/trusted-device.ts'
import type { User } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import type { Locate } from '../../network/location.ts'
import { parseUserAgent, type UserAgentInfo } from '../../network/user-agent.ts'
import { type LoginCookies, requireCookies } from './login-cookies.ts'
import type { BearerTokens, Login, LoginOptions } from './login-options.ts'
import { REFUSALS, type Tokens } from './session.ts'
import type { Sessions } from './sessions.ts'

interface SignInParts {
  readonly registry: RegistryParts
  readonly sessions: Sessions
  readonly cookies: LoginCookies
  readonly tokens: Tokens
  readonly network: Network
  readonly locate: Locate
  readonly storedAddress: (context: RequestContext) => string | null
}

type ResolvedOptions = LoginOptions & { readonly transport: NonNullable<LoginOptions['transport']> }

/** Signs users in. */
export class SignIn {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /** Registers the login of a user whose password was checked. Sets cookies or returns tokens. */
  async login(user: User, context: RequestContext, options: ResolvedOptions): Promise<Login> {
    const { registry, sessions, cookies } = this.#parts
    const { transport, sessionId = null } = options
    const isBrowser = transport !== 'bearer'
    if (isBrowser) requireCookies(context, 'login')
    const userId = registry.users.idOf(user)
    if (!(await registry.users.isActive(user)))
      throw deviceError('inactive_account', REFUSALS.inactive_account)
    const sent = isBrowser ? cookies.credentials(context) : [options.deviceCredential ?? '']
    const attempt = { ...(await this.#readAttempt(context, userId, sent)), sessionId }
    const replaced = isBrowser ? await this.#findReplaced(context) : null
    const { result, events } = await login(registry.changes, attempt, replaced)
    const { record, returning } = result
    const tokens = this.#giveTokens(context, record, transport, attempt.credential)
    if (isBrowser) sessions.begin(context, { user, record, transport, isRenewed: true })
    await registry.changes.outlet.publish(events, user)
    return { device: record.device, returning, ...(tokens ? { tokens } : {}) }
  }

  /** Adopts a session of the application. Returns null if the session must end. */
  async adopt(
    user: User,
    context: RequestContext,
    sessionId: string,
  ): Promise<TrustedDevice | null> {
    const { registry, sessions, cookies } = this.#parts
    const { changes, users } = registry
    requireCookies(context, 'adopt')
    const userId = users.idOf(user)
    if (!(await users.isActive(user))) return null
    const sent = cookies.credentials(context)
    const session = { ...(await this.#readAttempt(context, userId, sent)), sessionId }
    const { result: record, events } = await adoptSession(changes, session)
    if (!record) return null
    this.#giveTokens(context, record, 'session', session.credential)
    sessions.setIdentity(context, { user, record, transport: 'session', isRenewed: false })
    await changes.outlet.publish(events, user)
    return record.device
  }

  /**
   * Reads all headers that a login needs, and throws if a header cannot be read. The login guard
   * calls this method before the password check. The error therefore does not show whether the
   * password is right.
   */
  readHeaders(context: RequestContext): UserAgentInfo & Pick<LoginAttempt, 'address'> {
    const { network, cookies, storedAddress } = this.#parts
    network.origin(context) // After the login, the cookies need the origin.
    cookies.session(context)
    const userAgent = parseUserAgent(context.request.headers.get('user-agent'))
    return { ...userAgent, address: storedAddress(context) }
  }

  /**
   * Verifies device credentials. Returns the claims of the first valid credential of this user, or
   * null.
   */
  async findCredential(userId: string, sent: readonly string[]): Promise<Credential | null> {
    const { registry, tokens } = this.#parts
    const { devices, revoked } = registry.db
    for (const token of sent) {
      const claims = tokens.credential.parse(token)
      if (!claims) continue
      const named = (await devices.find(claims.uid)) ?? (await revoked.find(claims.uid))
      if (named?.device.userId === userId) return claims
    }
    return null
  }

  /** @param sent the device credentials of the request, not verified */
  async #readAttempt(
    context: RequestContext,
    userId: string,
    sent: readonly string[],
  ): Promise<Omit<LoginAttempt, 'sessionId'>> {
    return {
      userId,
      ...this.readHeaders(context),
      // A lookup can be slow, so it runs before the transaction.
      ...(await this.#parts.locate(context)),
      credential: await this.findCredential(userId, sent),
    }
  }

  /** Returns the device of the browser's previous session, or null. */
  async #findReplaced(context: RequestContext): Promise<DeviceRecord | null> {
    const found = await this.#parts.sessions.find(context)
    return typeof found !== 'string' && found.transport !== 'bearer' ? found.record : null
  }

  /**
   * If the client is a browser, sets its cookies and returns null. For `bearer`, returns new tokens
   * instead. `former` is the previous device credential of this user. It is removed from the
   * cookie.
   */
  #giveTokens(
    context: RequestContext,
    record: DeviceRecord,
    transport: ResolvedOptions['transport'],
    former: Credential | null,
  ): BearerTokens | null {
    const { cookies, tokens } = this.#parts
    const { uid } = record.device
    const claims = { uid, generation: 0, counter: record.credentialCounter }
    const deviceCredential = tokens.credential.issue(claims)
    if (transport === 'bearer') return { ...bearerTokens(tokens, record), deviceCredential }
    if (transport === 'cookie') {
      cookies.setSession(context, tokens.session.issue({ uid, ...record.token }))
    } else if (cookies.session(context) !== null) {
      // Otherwise, this cookie would take precedence over the application's own session.
      cookies.clearSession(context)
    }
    const others = cookies.credentials(context).filter((token) => {
      const claimed = tokens.credential.parse(token)?.uid
      return claimed !== undefined && claimed !== uid && claimed !== former?.uid
    })
    cookies.setCredentials(context, [deviceCredential, ...others])
    return null
  }
}

/** Issues an access and a refresh token for the current generation and counter of a device. */
export function bearerTokens(
  { access, refresh }: Pick<Tokens, 'access' | 'refresh'>,
  { device: { uid, userId }, token }: DeviceRecord,
): Omit<BearerTokens, 'deviceCredential'> {
  const { generation, counter } = token
  return {
    access: access.issue({ userId, uid, generation, counter }),
    refresh: refresh.issue({ uid, generation, counter }),
  }
}

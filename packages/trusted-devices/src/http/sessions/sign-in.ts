import { ConfigurationError } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { adoptSession, login } from '../../devices/login/login.ts'
import type { Credential, LoginAttempt } from '../../devices/login/recognize.ts'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import type { TrustedDevice } from '../../devices/tables/trusted-device.ts'
import type { User } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import { parseUserAgent, type UserAgentInfo } from '../../network/user-agent.ts'
import { findSession } from './find-session.ts'
import type { HttpParts, SessionParts } from './http-parts.ts'
import { setIdentity } from './identify.ts'
import type { BearerTokens, Login, LoginOptions } from './login-options.ts'
import { REFUSALS } from './session.ts'

type SignInOptions = LoginOptions & { readonly transport: NonNullable<LoginOptions['transport']> }

/** Registers the login of a user whose password was checked. Sets cookies or returns tokens. */
export async function signIn(
  parts: HttpParts,
  user: User,
  context: RequestContext,
  options: SignInOptions,
): Promise<Login> {
  const { registry, cookies } = parts
  const { transport, sessionId = null } = options
  const isBrowser = transport !== 'bearer'
  if (isBrowser) requireCookies(context, 'login')
  const userId = registry.users.idOf(user)
  if (!(await registry.users.isActive(user)))
    throw deviceError('inactive_account', REFUSALS.inactive_account)
  const sent = isBrowser ? cookies.credentials(context) : [options.deviceCredential ?? '']
  const attempt = { ...(await readAttempt(parts, context, userId, sent)), sessionId }
  const replaced = isBrowser ? await findReplaced(parts, context) : null
  const { result, events } = await login(registry.changes, attempt, replaced)
  const { record, returning } = result
  const tokens = giveTokens(parts, context, record, { transport, former: attempt.credential })
  if (isBrowser) {
    parts.csrf.rotate(context)
    setIdentity(parts, context, { user, record, transport, isRenewed: true })
  }
  await registry.changes.outlet.publish(events, user)
  return { device: record.device, returning, ...(tokens ? { tokens } : {}) }
}

/** Adopts a session of the application. Returns null if the session must end. */
export async function adopt(
  parts: HttpParts,
  user: User,
  context: RequestContext,
  sessionId: string,
): Promise<TrustedDevice | null> {
  const { changes, users } = parts.registry
  requireCookies(context, 'adopt')
  const userId = users.idOf(user)
  if (!(await users.isActive(user))) return null
  const sent = parts.cookies.credentials(context)
  const session = { ...(await readAttempt(parts, context, userId, sent)), sessionId }
  const { result: record, events } = await adoptSession(changes, session)
  if (!record) return null
  giveTokens(parts, context, record, { transport: 'session', former: session.credential })
  setIdentity(parts, context, { user, record, transport: 'session', isRenewed: false })
  await changes.outlet.publish(events, user)
  return record.device
}

/** Throws a ConfigurationError that names the method `call` if cookies can no longer be set. */
export function requireCookies({ cookies }: RequestContext, call: string): void {
  if (cookies.canSet()) return
  const problem =
    'sets cookies. Call it before the headers of the response are sent, in a route or a server action'
  throw new ConfigurationError(call, problem)
}

/**
 * Reads all headers that a login needs, and throws if a header cannot be read. The login guard
 * calls this function before the password check. The error therefore does not show whether the
 * password is right.
 */
export function readHeaders(
  parts: HttpParts,
  context: RequestContext,
): UserAgentInfo & Pick<LoginAttempt, 'address'> {
  parts.network.origin(context) // After the login, the cookies need the origin.
  parts.cookies.session(context)
  const userAgent = parseUserAgent(context.request.headers.get('user-agent'))
  return { ...userAgent, address: parts.storedAddress(context) }
}

/** @param sent the device credentials of the request, not verified */
async function readAttempt(
  parts: HttpParts,
  context: RequestContext,
  userId: string,
  sent: readonly string[],
): Promise<Omit<LoginAttempt, 'sessionId'>> {
  return {
    userId,
    ...readHeaders(parts, context),
    ...(await parts.locate(context)), // A lookup can be slow, so it runs before the transaction.
    credential: await findCredential(parts, userId, sent),
  }
}

/**
 * Verifies device credentials. Returns the claims of the first valid credential of this user, or
 * null.
 */
export async function findCredential(
  { registry, tokens }: SessionParts,
  userId: string,
  sent: readonly string[],
): Promise<Credential | null> {
  const { devices, revoked } = registry.db
  for (const token of sent) {
    const claims = tokens.credential.parse(token)
    if (!claims) continue
    const named = (await devices.find(claims.uid)) ?? (await revoked.find(claims.uid))
    if (named?.device.userId === userId) return claims
  }
  return null
}

/** Returns the device of the browser's previous session, or null. */
async function findReplaced(
  parts: SessionParts,
  context: RequestContext,
): Promise<DeviceRecord | null> {
  const found = await findSession(parts, context)
  return typeof found !== 'string' && found.transport !== 'bearer' ? found.record : null
}

/**
 * If the client is a browser, sets its cookies and returns null. For `bearer`, returns new tokens
 * instead. `former` is the previous device credential of this user. It is removed from the cookie.
 */
function giveTokens(
  parts: SessionParts,
  context: RequestContext,
  record: DeviceRecord,
  { transport, former }: Pick<SignInOptions, 'transport'> & { readonly former: Credential | null },
): BearerTokens | null {
  const { cookies, tokens } = parts
  const { uid } = record.device
  const claims = { uid, generation: 0, counter: record.credentialCounter }
  const deviceCredential = tokens.credential.issue(claims)
  if (transport === 'bearer') return { ...bearerTokens(parts, record), deviceCredential }
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

/** Issues an access and a refresh token for the current generation and counter of a device. */
export function bearerTokens(
  { tokens }: SessionParts,
  { device: { uid, userId }, token }: DeviceRecord,
): Omit<BearerTokens, 'deviceCredential'> {
  const { generation, counter } = token
  return {
    access: tokens.access.issue({ userId, uid, generation, counter }),
    refresh: tokens.refresh.issue({ uid, generation, counter }),
  }
}

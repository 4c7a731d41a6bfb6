import type { QuillgateError } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { checkSessionId } from '../../devices/live-devices.ts'
import { type LoginRefusal, login, stateRefusal } from '../../devices/login/login.ts'
import type { LoginAttempt } from '../../devices/login/recognise.ts'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import type { User } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import type { HttpParts } from '../http-parts.ts'
import { isWithin } from '../tokens/is-within.ts'
import { findSession } from './find-session.ts'
import { setIdentity } from './identify.ts'
import type { BearerTokens, Login, LoginOptions } from './login-types.ts'
import { readHeaders } from './read-headers.ts'
import { requireCookies } from './sign-out.ts'

/** Checked options of a login. */
export type SignInOptions = LoginOptions & {
  readonly transport: NonNullable<LoginOptions['transport']>
}

/** Registers the login of a user whose password was checked, and gives out tokens or cookies. */
export async function signIn(
  parts: HttpParts,
  user: User,
  context: RequestContext,
  options: SignInOptions,
): Promise<Login> {
  const { registry } = parts
  const { transport } = options
  if (transport !== 'bearer') requireCookies(context, 'login')
  const sessionId = options.sessionId === undefined ? null : checkSessionId(options.sessionId)
  const userId = parts.users.idOf(user)
  if (!(await parts.users.isActive(user))) {
    throw deviceError('inactive_account', 'This account is not active.')
  }
  const sent =
    transport === 'bearer' ? options.deviceCredential : parts.cookies.credential(context, userId)
  const attempt = await readAttempt(parts, context, { userId, sent, sessionId })
  const replaced = transport === 'bearer' ? null : await findReplaced(parts, context)
  const { result, events } = await login(registry.changes, registry, attempt, replaced)
  if ('reason' in result) {
    await parts.publish(events, user)
    throw await refuse(parts, user, result)
  }
  const { record, returning } = result
  const tokens = await hand(parts, context, record, transport)
  if (transport !== 'bearer') {
    parts.csrf.rotate(context)
    setIdentity(parts, context, { user, record, transport, isRenewed: true })
  }
  await parts.publish(events, user)
  return { device: record.device, returning, ...(tokens ? { tokens } : {}) }
}

/**
 * Reads what a request says about a device of this user. @param sent the device credential, not
 * checked yet
 */
export async function readAttempt<SessionId extends string | null>(
  parts: HttpParts,
  context: RequestContext,
  {
    userId,
    sent,
    sessionId,
  }: { userId: string; sent: string | null | undefined; sessionId: SessionId },
): Promise<LoginAttempt & { readonly sessionId: SessionId }> {
  return {
    userId,
    ...readHeaders(parts, context),
    ...(await parts.locate(context)), // Before the transaction: a lookup may take its time.
    credential: sent ? parts.tokens.credential.parse(sent, userId) : null,
    sessionId,
  }
}

/**
 * Publishes a refusal, and makes the error of the answer. `login_refused` is sent as often as
 * `loginRateLimit` allows: a thief with the password of a full account must not send its owner a
 * flood of events.
 */
async function refuse(
  { limiter, loginRate, registry, publish }: HttpParts,
  user: User,
  refusal: LoginRefusal,
): Promise<QuillgateError> {
  if (await isWithin(limiter.consume(`login:refused:${refusal.device.userId}`, loginRate))) {
    await publish((await stateRefusal(registry.changes, refusal)).events, user)
  }
  const { maxDevices } = registry.settings
  const detail = `You are signed in on ${maxDevices} devices, which is the most. Sign out on one of them first.`
  return deviceError(refusal.reason, detail)
}

/** The tokens that a bearer client gets for the present position of its device. */
export async function bearerTokens(
  { tokens }: HttpParts,
  { device: { uid, userId }, token }: DeviceRecord,
): Promise<Omit<BearerTokens, 'deviceCredential'>> {
  const { family, counter } = token
  return {
    access: await tokens.access.issue({ userId, uid, family, counter }),
    refresh: tokens.refresh.issue({ uid, family, counter }),
  }
}

/** The device whose session the browser had until now. */
async function findReplaced(
  parts: HttpParts,
  context: RequestContext,
): Promise<DeviceRecord | null> {
  const found = await findSession(parts, context)
  return typeof found !== 'string' && found.transport !== 'bearer' ? found.record : null
}

/** Sets the cookies of a browser, or returns the tokens of another client. */
export async function hand(
  parts: HttpParts,
  context: RequestContext,
  record: DeviceRecord,
  transport: SignInOptions['transport'],
): Promise<BearerTokens | null> {
  const { cookies, tokens } = parts
  const { uid, userId } = record.device
  const deviceCredential = tokens.credential.issue(
    { uid, counter: record.credentialCounter },
    userId,
  )
  if (transport === 'bearer') return { ...(await bearerTokens(parts, record)), deviceCredential }
  if (transport === 'cookie') {
    cookies.setSession(context, tokens.session.issue({ uid, ...record.token }))
  } else if (cookies.session(context) !== null) {
    cookies.clearSession(context) // It would win over the application's own session.
  }
  cookies.setCredential(context, userId, deviceCredential)
  return null
}

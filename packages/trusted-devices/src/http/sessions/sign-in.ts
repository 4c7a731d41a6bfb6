import { ConfigurationError, QuillgateError, type RequestContext } from '@quillgate/http'
import { checkSessionId } from '../../devices/operations/application-session.ts'
import { registerLogin } from '../../devices/operations/login.ts'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import type { User } from '../../devices/user.ts'
import { readUserAgent } from '../../network/user-agent.ts'
import type { BearerTokens, Login, LoginOptions } from '../../options.ts'
import type { HttpParts } from '../http-parts.ts'
import { findSession } from './find-session.ts'

/** Registers the login of a user whose password was checked, and gives out tokens or cookies. */
export async function signIn(
  parts: HttpParts,
  user: User,
  context: RequestContext,
  options: LoginOptions,
): Promise<Login> {
  const { transport } = options
  if (transport !== 'cookie' && transport !== 'bearer' && transport !== 'session') {
    throw new ConfigurationError('transport', 'must be "cookie", "bearer" or "session"', transport)
  }
  const sessionId = options.sessionId === undefined ? null : checkSessionId(options.sessionId)
  const userId = parts.users.toUserId(user.id)
  if (!(await parts.users.isActive(user))) {
    throw new QuillgateError('inactive_account', 403, 'This account is not active.')
  }
  const sent = transport === 'bearer' ? options.deviceCredential : parts.cookies.credential(context, userId)
  const arrival = {
    userId,
    ...readUserAgent(context.request.headers),
    ...(await parts.locate(context)), // Before the transaction: a lookup may take its time.
    address: parts.keptAddress(context),
    credential: sent ? parts.tokens.credential.parse(sent, userId) : null,
    sessionId,
  }
  const left = transport === 'bearer' ? null : await findLeft(parts, context)
  const { result, facts } = await registerLogin(parts.registry, arrival, left)
  if (result === 'device_limit_reached') {
    await parts.publish(facts, user)
    const { maxDevices } = parts.registry.settings
    throw new QuillgateError(
      result,
      409,
      `You are signed in on ${maxDevices} devices, which is the most. Sign out on one of them first.`,
    )
  }
  const { record, returning } = result
  const handed = await hand(parts, context, record, transport)
  await parts.publish(facts, user)
  return { device: record.device, returning, ...handed }
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
async function findLeft(parts: HttpParts, context: RequestContext): Promise<DeviceRecord | null> {
  const found = await findSession(parts, context)
  return typeof found !== 'string' && found.transport !== 'bearer' ? found.record : null
}

async function hand(
  parts: HttpParts,
  context: RequestContext,
  record: DeviceRecord,
  transport: LoginOptions['transport'],
): Promise<Pick<Login, 'tokens' | 'headers'>> {
  const { uid, userId } = record.device
  const headers = new Headers()
  const deviceCredential = parts.tokens.credential.issue({ uid, counter: record.credentialCounter }, userId)
  if (transport === 'bearer') return { headers, tokens: { ...(await bearerTokens(parts, record)), deviceCredential } }
  if (transport === 'cookie') {
    parts.cookies.setSession(headers, context, parts.tokens.session.issue({ uid, ...record.token }))
  } else if (parts.cookies.session(context) !== null) {
    parts.cookies.clearSession(headers, context) // It would win over the application's own session.
  }
  parts.cookies.setCredential(headers, context, userId, deviceCredential)
  return { headers }
}

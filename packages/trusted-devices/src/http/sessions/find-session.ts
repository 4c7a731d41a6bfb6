import { toUserId } from '@quillgate/server/core'
import { bearerToken, hasBearer, type RequestContext } from '@quillgate/server/http'
import type { RegistryParts } from '../../devices/registry.ts'
import { isTooOld } from '../../devices/use-device.ts'
import { examineToken, isAccepted, isIssued } from '../../tokens/rotation-and-reuse.ts'
import { parseUuid } from '../../uuid.ts'
import type { LoginCookies } from './login-cookies.ts'
import type { FoundSession, ReadSession, Refusal, Tokens } from './session.ts'

/** The objects that find the session of a request. */
export interface SessionSources {
  readonly registry: RegistryParts
  readonly cookies: LoginCookies
  readonly tokens: Tokens
  /** The option `session`. */
  readonly readSession: ReadSession | undefined
}

/**
 * Finds the device that made a request, without changing anything. An `Authorization` header with
 * `Bearer` or `DPoP` takes precedence over cookies, even if its token is invalid. A valid session
 * cookie takes precedence over the application's own session.
 */
export async function findSession(
  sources: SessionSources,
  context: RequestContext,
): Promise<FoundSession | Refusal> {
  const isBearer = hasBearer(context.request)
  const issued = isBearer
    ? await findByAccessToken(sources, context.request)
    : await findByCookie(sources, context)
  // A bearer token that Quillgate did not issue can belong to a session of the application.
  const mayBeOwn = typeof issued === 'string' && (!isBearer || issued === 'token_invalid')
  const found = (mayBeOwn ? await findByOwnSession(sources, context) : null) ?? issued
  return typeof found !== 'string' && isTooOld(sources.registry, found.record)
    ? 'token_expired'
    : found
}

/**
 * Finds the device of the application's own session. Returns null if there is no session, or if it
 * has no device, for example because it began before this component was installed.
 */
async function findByOwnSession(
  { readSession, registry }: SessionSources,
  context: RequestContext,
): Promise<FoundSession | Refusal | null> {
  const session = (await readSession?.(context)) ?? null
  const uid = typeof session?.deviceUid === 'string' ? parseUuid(session.deviceUid) : null
  if (!session || uid === null) return null
  const record = await registry.db.devices.findOwn({ uid, userId: toUserId(session.userId) })
  if (!record || (session.sessionId ?? record.sessionId) !== record.sessionId)
    return 'device_not_recognized'
  return { record, transport: 'session', isNewest: false }
}

const MAX_AUTHORIZATION = 5000 // Longer than any issued token with its scheme.

async function findByAccessToken(
  { registry, tokens }: SessionSources,
  request: Request,
): Promise<FoundSession | Refusal> {
  const isTooLong = (request.headers.get('authorization')?.length ?? 0) > MAX_AUTHORIZATION
  const token = isTooLong ? null : bearerToken(request)
  const claims = token === null ? 'token_invalid' : tokens.access.verify(token)
  if (typeof claims === 'string') return claims
  const record = await registry.db.devices.findOwn(claims)
  if (!record) return 'device_not_recognized'
  if (!isIssued(record.token, claims)) return 'token_invalid'
  return { record, transport: 'bearer', isNewest: claims.counter === record.token.counter }
}

async function findByCookie(
  { registry, cookies, tokens }: SessionSources,
  context: RequestContext,
): Promise<FoundSession | Refusal> {
  const token = cookies.session(context)
  if (token === null) return 'authentication_required'
  const claims = tokens.session.parse(token)
  if (!claims) return 'token_invalid'
  const record = await registry.db.devices.find(claims.uid)
  if (!record) return 'device_not_recognized'
  // The lifetime starts at the last use of the device, because a renewed cookie may not have
  // arrived.
  const usedAt = Math.max(record.token.issuedAt, record.device.lastSeenAt.getTime())
  const status = examineToken(record.token, claims, registry.clock(), registry.policy, usedAt)
  if (isAccepted(status)) return { record, transport: 'cookie', isNewest: status === 'current' }
  // A browser can lose its newest cookie in a crash. An outdated cookie is therefore rejected
  // without revoking the device.
  return status === 'expired' ? 'token_expired' : 'token_invalid'
}

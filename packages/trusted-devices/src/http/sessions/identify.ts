import { type QuillgateError, serverError } from '@quillgate/server/core'
import { hasBearer, type RequestContext } from '@quillgate/server/http'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import type { User } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import type { HttpParts } from '../http-parts.ts'
import { type FoundSession, findSession, type Refusal } from './find-session.ts'

/** The user and device of a request. */
export interface Identity {
  readonly user: User
  readonly record: DeviceRecord
  readonly transport: FoundSession['transport']
  /** True if the session cookie was renewed for this answer. */
  readonly isRenewed: boolean
}

const RENEW_AFTER = 86_400_000 // Milliseconds that a session token lives before the next one replaces it.

/** Returns the user and device of a request. The result is kept for a few seconds. */
export function identify(parts: HttpParts, context: RequestContext): Promise<Identity | Refusal> {
  return parts.identities.get(context, () => findIdentity(parts, context))
}

/**
 * Replaces the identity of a request after it signed in. Its device is read again after a few
 * seconds, because it can be revoked while the request is open.
 */
export function setIdentity(parts: HttpParts, context: RequestContext, identity: Identity): void {
  parts.identities.set(context, Promise.resolve(identity), () => readAgain(parts, identity))
}

/** Does not save that the device was used, because its cookies may not have arrived yet. */
async function readAgain(parts: HttpParts, identity: Identity): Promise<Identity | Refusal> {
  const record = await reread(parts, identity.record)
  if (!record) return 'device_not_recognized'
  const user = await findUser(parts, record)
  return typeof user === 'string' ? user : { ...identity, user, record }
}

/**
 * Finds out who made a request, saves that the device was used, and renews its session cookie if it
 * is time. If cookies can no longer be set, the cookie is renewed by a later request.
 */
async function findIdentity(
  parts: HttpParts,
  context: RequestContext,
): Promise<Identity | Refusal> {
  const found = await findSession(parts, context)
  if (typeof found === 'string') return found
  if (found.transport === 'cookie' && !found.isNewest) {
    parts.noteLateCookie(found.record, parts.registry.clock(), renewAfter(parts))
  }
  const user = await findUser(parts, found.record)
  if (typeof user === 'string') return user
  const record = await parts.registry.live.use(
    found.record,
    () => parts.keptAddress(context),
    found.isNewest,
  )
  if (!record) return 'device_not_recognized'
  const { transport } = found
  const canRenew = transport === 'cookie' && context.cookies.canSet()
  const isRenewed = canRenew && (await renew(parts, context, found, record))
  return { user, record, transport, isRenewed }
}

async function findUser(parts: HttpParts, { device }: DeviceRecord): Promise<User | Refusal> {
  const user = await parts.users.find(device.userId)
  if (user) return (await parts.users.isActive(user)) ? user : 'inactive_account'
  parts.noteMissingUser()
  return 'device_not_recognized'
}

/** @throws QuillgateError 401 `authentication_required`, or `token_expired` for a bearer token */
export async function requireIdentity(
  parts: HttpParts,
  context: RequestContext,
): Promise<Identity> {
  const identity = await identify(parts, context)
  if (typeof identity === 'string') throw signInFirst(identity, context)
  return identity
}

/**
 * Creates the 401 of every endpoint that needs a device. Its `www-authenticate` header has the
 * reason (RFC 6750 §3). The code `token_expired` tells a bearer client to refresh its token.
 */
export function signInFirst(
  refusal: Refusal,
  { request }: Pick<RequestContext, 'request'>,
): QuillgateError {
  const why =
    refusal === 'authentication_required'
      ? ''
      : ` error="invalid_token", error_description="${refusal}"`
  const headers = { 'www-authenticate': `Bearer${why}` }
  const canRefresh = refusal === 'token_expired' && hasBearer(request)
  return canRefresh
    ? deviceError('token_expired', REFUSALS[refusal], { headers })
    : serverError('authentication_required', REFUSALS[refusal], { headers })
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  authentication_required: 'Sign in first.',
  token_invalid: 'This token is not valid. Sign in again.',
  token_expired: 'This token has expired. Refresh it, or sign in again.',
  device_not_recognized: 'This device was signed out. Sign in again.',
  inactive_account: 'This account is not active.',
}

/** Milliseconds after which a session cookie is renewed. */
function renewAfter({ policy }: HttpParts): number {
  return Math.min(RENEW_AFTER, policy.lifetime / 2)
}

async function renew(
  parts: HttpParts,
  context: RequestContext,
  { isNewest }: FoundSession,
  record: DeviceRecord,
): Promise<boolean> {
  const newest = isNewest ? await renewDue(parts, context, record) : await reread(parts, record)
  // The answer may have been sent in the meantime. A later request gets the newest token.
  if (!newest || !context.cookies.canSet()) return false
  const token = parts.tokens.session.issue({ ...newest.token, uid: newest.device.uid })
  parts.cookies.setSession(context, token, { isRenewal: true })
  return true
}

/**
 * The device as it is by now; null when it signed in again, whose cookie this answer must not
 * replace.
 */
async function reread(
  { registry }: HttpParts,
  { device, token }: DeviceRecord,
): Promise<DeviceRecord | null> {
  const record = await registry.live.find(device.uid)
  return record?.token.family === token.family ? record : null
}

/** The device with its next token, or null when it is not time, or another request was faster. */
async function renewDue(
  parts: HttpParts,
  context: RequestContext,
  record: DeviceRecord,
): Promise<DeviceRecord | null> {
  const age = parts.registry.clock() - record.token.issuedAt
  if (age < renewAfter(parts)) return null
  return parts.registry.live.rotateToken(record, parts.keptAddress(context))
}

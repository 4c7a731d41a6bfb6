import { type QuillgateError, serverError } from '@quillgate/server/core'
import { hasBearer, type RequestContext } from '@quillgate/server/http'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import { useDevice, useNewestToken } from '../../devices/use-device.ts'
import type { User } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import { findSession } from './find-session.ts'
import type { SessionParts } from './http-parts.ts'
import {
  type CachedIdentity,
  type FoundSession,
  type IdentifyResult,
  type Identity,
  REFUSALS,
  type Refusal,
} from './session.ts'

const RENEW_AFTER = 86_400_000 // A session token is replaced after at most this many milliseconds.
// Milliseconds for which the identity of a request is cached. A WebSocket or a stream can stay open
// for hours, so the cached identity must not become too old.
const CACHE_TIME = 5000

const MISSING_USER =
  'users.findById found no user for a signed-in device. The response was therefore 401. Call ' +
  'devices.users.deleted(id) when an account is deleted. If the account exists, check how findById compares ids. ' +
  'Its argument is text, or the result of users.parseId.'

/** Returns the user and device of a request, or a refusal. The result is cached for 5 seconds. */
export function identify(parts: SessionParts, context: RequestContext): Promise<IdentifyResult> {
  const cached = parts.identities.get(context)
  const age = cached ? parts.registry.clock() - cached.since : CACHE_TIME
  if (cached && age >= 0 && age < CACHE_TIME) return cached.found
  const find = cached?.find ?? (() => findIdentity(parts, context))
  return cacheIdentity(parts, context, find)
}

/**
 * Caches the identity of a request. A sign-in or sign-out during the request replaces the cached
 * identity.
 */
export function cacheIdentity(
  { identities, registry }: SessionParts,
  context: RequestContext,
  find: CachedIdentity['find'],
  found: CachedIdentity['found'] = find(),
): CachedIdentity['found'] {
  const cached = { found, find, since: registry.clock() }
  identities.set(context, cached)
  found.catch(() => {
    cached.since = Number.NEGATIVE_INFINITY // The next call tries again.
  })
  return found
}

/**
 * Replaces the identity of a request after a sign-in. The device is read again after 5 seconds,
 * because it can be revoked while the request is open. A use of the device is not stored, because a
 * stored use means that the new cookies have arrived.
 */
export function setIdentity(
  parts: SessionParts,
  context: RequestContext,
  identity: Identity,
): void {
  const readAgain = async (): Promise<IdentifyResult> => {
    const record = await reread(parts, identity.record)
    if (!record) return 'device_not_recognized'
    const user = await findUser(parts, record)
    return typeof user === 'string' ? user : { ...identity, user, record }
  }
  void cacheIdentity(parts, context, readAgain, Promise.resolve(identity))
}

/** Returns the user and device of a request, or throws the error of {@link signInFirst}. */
export async function requireIdentity(
  parts: SessionParts,
  context: RequestContext,
): Promise<Identity> {
  const identity = await identify(parts, context)
  if (typeof identity === 'string') throw signInFirst(identity, context)
  return identity
}

/** Calls {@link requireIdentity} and reads the device again, because it may have been revoked. */
export async function requireFreshIdentity(
  parts: SessionParts,
  context: RequestContext,
): Promise<Identity> {
  const identity = await requireIdentity(parts, context)
  const { record, transport } = identity
  const fresh = await parts.registry.db.devices.find(record.device.uid)
  const isSame =
    transport === 'session'
      ? fresh?.sessionId === record.sessionId
      : fresh?.token.generation === record.token.generation
  if (!fresh || !isSame) throw signInFirst('device_not_recognized', context)
  return { ...identity, record: fresh }
}

/**
 * Creates the 401 error `authentication_required`. If a bearer client must refresh its token, the
 * code is `token_expired`. The `www-authenticate` header contains the reason (RFC 6750 §3).
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

/**
 * Finds the user and device of a request, and stores a use of the device. If the session cookie is
 * old, renews the cookie.
 */
async function findIdentity(parts: SessionParts, context: RequestContext): Promise<IdentifyResult> {
  const found = await findSession(parts, context)
  if (typeof found === 'string') return found
  const user = await findUser(parts, found.record)
  if (typeof user === 'string') return user
  const readAddress = () => parts.storedAddress(context)
  const record = await useDevice(parts.registry, found.record, readAddress, found.isNewest)
  if (!record) return 'device_not_recognized'
  const { transport } = found
  const canRenew = transport === 'cookie' && context.cookies.canSet()
  const isRenewed = canRenew && (await renew(parts, context, found, record))
  return { user, record, transport, isRenewed }
}

async function findUser(parts: SessionParts, { device }: DeviceRecord): Promise<User | Refusal> {
  const { users } = parts.registry
  const user = await users.find(device.userId)
  if (user) return (await users.isActive(user)) ? user : 'inactive_account'
  parts.warnOnce(MISSING_USER, 'user')
  return 'device_not_recognized'
}

/** Sets a newer session cookie if the cookie of the request is old or was already replaced. */
async function renew(
  parts: SessionParts,
  context: RequestContext,
  { isNewest }: FoundSession,
  record: DeviceRecord,
): Promise<boolean> {
  const { registry, policy } = parts
  const age = registry.clock() - record.token.issuedAt
  if (isNewest && age < Math.min(RENEW_AFTER, policy.lifetime / 2)) return false
  const newest = isNewest
    ? await useNewestToken(registry, record, parts.storedAddress(context))
    : await reread(parts, record)
  // The response may have been sent in the meantime. A later request then renews the cookie.
  if (!newest || !context.cookies.canSet()) return false
  const token = parts.tokens.session.issue({ ...newest.token, uid: newest.device.uid })
  parts.cookies.setSession(context, token, true)
  return true
}

/**
 * Reads the device again. Returns null if it was revoked or has signed in again. After a new
 * sign-in, the newer cookie must be kept.
 */
async function reread(
  { registry }: SessionParts,
  { device, token }: DeviceRecord,
): Promise<DeviceRecord | null> {
  const record = await registry.db.devices.find(device.uid)
  return record?.token.generation === token.generation ? record : null
}

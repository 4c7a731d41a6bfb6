import type { GateParts } from '@quillgate/server'
import { type QuillgateError, serverError } from '@quillgate/server/core'
import {
  type Csrf,
  type CsrfUser,
  hasBearer,
  type RequestContext,
  requireCsrf,
} from '@quillgate/server/http'
import { logOut } from '../../devices/revocation/revoke.ts'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import { useDevice, useNewestToken } from '../../devices/use-device.ts'
import type { User } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import { findSession, type SessionSources } from './find-session.ts'
import { requireCookies } from './login-cookies.ts'
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

interface SessionsParts extends SessionSources {
  /** Returns the client's address in the form in which it is stored. */
  readonly storedAddress: (context: RequestContext) => string | null
  readonly csrf: Csrf
  /** Returns the user of a request. Any component of the application can identify the user. */
  readonly identifyAny: GateParts['components']['identify']
  /** Logs a warning. Logs only the first warning of each kind. */
  readonly warnOnce: (message: string, kind: string) => void
}

/** Finds, renews and ends the sessions of requests. */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #identities = new WeakMap<RequestContext, CachedIdentity>()

  constructor(parts: SessionsParts) {
    this.#parts = parts
  }

  /** Finds the device that made a request, without changing anything. */
  find(context: RequestContext): Promise<FoundSession | Refusal> {
    return findSession(this.#parts, context)
  }

  /** Returns the user and device of a request, or a refusal. The result is cached for 5 seconds. */
  identify(context: RequestContext): Promise<IdentifyResult> {
    const cached = this.#identities.get(context)
    const age = cached ? this.#parts.registry.clock() - cached.since : CACHE_TIME
    if (cached && age >= 0 && age < CACHE_TIME) return cached.found
    return this.#cache(context, cached?.find ?? (() => this.#findIdentity(context)))
  }

  /** Returns the user and device of a request, or throws the error of {@link signInFirst}. */
  async requireIdentity(context: RequestContext): Promise<Identity> {
    const identity = await this.identify(context)
    if (typeof identity === 'string') throw signInFirst(identity, context)
    return identity
  }

  /** Calls {@link requireIdentity} and reads the device again, because it may have been revoked. */
  async requireFreshIdentity(context: RequestContext): Promise<Identity> {
    const identity = await this.requireIdentity(context)
    const { record, transport } = identity
    const fresh = await this.#parts.registry.db.devices.find(record.device.uid)
    const isSame =
      transport === 'session'
        ? fresh?.sessionId === record.sessionId
        : fresh?.token.generation === record.token.generation
    if (!fresh || !isSame) throw signInFirst('device_not_recognized', context)
    return { ...identity, record: fresh }
  }

  /** Checks the CSRF token of a change. A request with a bearer token needs none. */
  async requireCsrf(
    context: RequestContext,
    transport: FoundSession['transport'],
    user: CsrfUser,
  ): Promise<void> {
    if (transport === 'bearer') return
    const { csrf, identifyAny } = this.#parts
    // An application can have several instances of trusted devices. The CSRF token of a page
    // belongs to the user of the first instance that identifies a user.
    const identity = await identifyAny(context).catch(() => null)
    await requireCsrf(csrf, context, { user: identity?.user ?? user, isBearer: false })
  }

  /** Begins the session of a browser after a sign-in. Makes its earlier CSRF tokens invalid. */
  begin(context: RequestContext, identity: Identity): void {
    this.#parts.csrf.rotate(context)
    this.setIdentity(context, identity)
  }

  /**
   * Replaces the identity of a request after a sign-in. The device is read again after 5 seconds,
   * because it can be revoked while the request is open. A use of the device is not stored, because
   * a stored use means that the new cookies have arrived.
   */
  setIdentity(context: RequestContext, identity: Identity): void {
    const readAgain = async (): Promise<IdentifyResult> => {
      const record = await this.#reread(identity.record)
      if (!record) return 'device_not_recognized'
      const user = await this.#findUser(record)
      return typeof user === 'string' ? user : { ...identity, user, record }
    }
    void this.#cache(context, readAgain, Promise.resolve(identity))
  }

  /**
   * Replaces the session token after a password check, as ASVS 5.0 §7.2.4 requires. Bearer clients
   * receive new tokens when they refresh.
   */
  async renew(context: RequestContext, { transport, record, isRenewed }: Identity): Promise<void> {
    if (transport !== 'cookie' || isRenewed) return
    const { registry, storedAddress } = this.#parts
    const renewed = await useNewestToken(registry, record, storedAddress(context))
    // If there is none, another request has rotated the token or revoked the device.
    if (renewed) this.#setCookie(context, renewed)
  }

  /**
   * Revokes the device that made a request, and removes its session cookie. If the request is not
   * signed in, only removes the cookie.
   */
  async signOut(context: RequestContext): Promise<void> {
    requireCookies(context, 'logout')
    const found = await this.find(context)
    if (typeof found !== 'string') await logOut(this.#parts.registry.changes, found.record.device)
    this.clear(context, typeof found === 'string' ? null : found.transport)
  }

  /**
   * Removes the session cookie of a browser and makes its CSRF tokens invalid. Keeps the device
   * credential, so that the browser is recognized at its next login.
   */
  clear(context: RequestContext, transport: FoundSession['transport'] | null): void {
    const { cookies, csrf } = this.#parts
    void this.#cache(context, async () => 'authentication_required')
    const hasCookie = cookies.session(context) !== null
    if (hasCookie) cookies.clearSession(context)
    if (hasCookie || transport === 'session') csrf.rotate(context)
  }

  /**
   * Caches the identity of a request. A sign-in or sign-out during the request replaces the cached
   * identity.
   */
  #cache(
    context: RequestContext,
    find: CachedIdentity['find'],
    found: CachedIdentity['found'] = find(),
  ): CachedIdentity['found'] {
    const cached = { found, find, since: this.#parts.registry.clock() }
    this.#identities.set(context, cached)
    found.catch(() => {
      cached.since = Number.NEGATIVE_INFINITY // The next call tries again.
    })
    return found
  }

  /**
   * Finds the user and device of a request, and stores a use of the device. If the session cookie
   * is old, renews the cookie.
   */
  async #findIdentity(context: RequestContext): Promise<IdentifyResult> {
    const { registry, storedAddress } = this.#parts
    const found = await this.find(context)
    if (typeof found === 'string') return found
    const user = await this.#findUser(found.record)
    if (typeof user === 'string') return user
    const readAddress = () => storedAddress(context)
    const record = await useDevice(registry, found.record, readAddress, found.isNewest)
    if (!record) return 'device_not_recognized'
    const { transport } = found
    const canRenew = transport === 'cookie' && context.cookies.canSet()
    const isRenewed = canRenew && (await this.#renewOld(context, found, record))
    return { user, record, transport, isRenewed }
  }

  async #findUser({ device }: DeviceRecord): Promise<User | Refusal> {
    const { users } = this.#parts.registry
    const user = await users.find(device.userId)
    if (user) return (await users.isActive(user)) ? user : 'inactive_account'
    this.#parts.warnOnce(MISSING_USER, 'user')
    return 'device_not_recognized'
  }

  /** Sets a newer session cookie if the cookie of the request is old or was already replaced. */
  async #renewOld(
    context: RequestContext,
    { isNewest }: FoundSession,
    record: DeviceRecord,
  ): Promise<boolean> {
    const { registry, storedAddress } = this.#parts
    const age = registry.clock() - record.token.issuedAt
    if (isNewest && age < Math.min(RENEW_AFTER, registry.policy.lifetime / 2)) return false
    const newest = isNewest
      ? await useNewestToken(registry, record, storedAddress(context))
      : await this.#reread(record)
    // The response may have been sent in the meantime. A later request then renews the cookie.
    if (!newest || !context.cookies.canSet()) return false
    this.#setCookie(context, newest, true)
    return true
  }

  #setCookie(context: RequestContext, { device, token }: DeviceRecord, isRenewal = false): void {
    const { cookies, tokens } = this.#parts
    cookies.setSession(context, tokens.session.issue({ ...token, uid: device.uid }), isRenewal)
  }

  /**
   * Reads the device again. Returns null if it was revoked or has signed in again. After a new
   * sign-in, the newer cookie must be kept.
   */
  async #reread({ device, token }: DeviceRecord): Promise<DeviceRecord | null> {
    const record = await this.#parts.registry.db.devices.find(device.uid)
    return record?.token.generation === token.generation ? record : null
  }
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

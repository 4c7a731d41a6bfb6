import { QuillgateError } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import type { RegistryParts } from '../../devices/registry.ts'
import { revokeReused } from '../../devices/revocation/revoke.ts'
import type { DeviceRecord } from '../../devices/tables/device-record.ts'
import { isTooOld, useNewestToken, useOlderToken } from '../../devices/use-device.ts'
import { deviceError } from '../../errors.ts'
import type { DerivedTokenClaims } from '../../tokens/derived-token.ts'
import {
  examineToken,
  isAccepted,
  isIssued,
  type TokenStatus,
} from '../../tokens/rotation-and-reuse.ts'
import { addressLimits, type RateLimits, wideRate } from '../rate-limits.ts'
import type { BearerTokens } from '../sessions/login-options.ts'
import { REFUSALS, type Tokens } from '../sessions/session.ts'
import { bearerTokens } from '../sessions/sign-in.ts'

const MAX_TRIES = 5

type NewTokens = Omit<BearerTokens, 'deviceCredential'>

interface TokenExchangeParts {
  readonly registry: RegistryParts
  readonly storedAddress: (context: RequestContext) => string | null
  readonly limits: RateLimits
  readonly tokens: Tokens
}

/** Exchanges and verifies the tokens of clients that are not browsers. */
export class TokenExchange {
  readonly #parts: TokenExchangeParts

  constructor(parts: TokenExchangeParts) {
    this.#parts = parts
  }

  /**
   * Exchanges a refresh token for new tokens. The newest refresh token is rotated. For the previous
   * token, returns the newest tokens again, because the response with these tokens may have been
   * lost. For a `reused` token, revokes the device. The response does not show whether the newest
   * or the previous token was sent. Otherwise, a thief could see whether the owner has the newest
   * token.
   *
   * @throws QuillgateError 401 `token_invalid`, `token_expired`, `token_reused`,
   * `device_not_recognized`, `inactive_account`; 429 `rate_limited`; 503 `device_busy`
   */
  async refresh(token: string, context: RequestContext): Promise<NewTokens> {
    const { storedAddress, limits, tokens } = this.#parts
    const claims = tokens.refresh.parse(token)
    if (!claims) throw await this.#rejectForged(context)
    try {
      return await this.#exchange(claims, storedAddress(context))
    } catch (error) {
      // Rejected tokens of a device have a separate limit, even if the device was revoked.
      if (error instanceof QuillgateError && error.status === 401)
        await limits.consume([`refresh:refused:${claims.uid}`, limits.rate])
      throw error
    }
  }

  /** Checks an access or refresh token. If it is invalid, throws like {@link refresh}. */
  async verify(token: string, context: RequestContext): Promise<void> {
    const { tokens, limits, registry } = this.#parts
    const refresh = tokens.refresh.parse(token)
    const claims = refresh ?? tokens.access.verify(token)
    if (claims === 'token_invalid') throw await this.#rejectForged(context)
    if (typeof claims === 'string') throw refused(claims)
    // A gateway can verify a token at every request, so the limit of verifications is far higher.
    await limits.consume([`verify:device:${claims.uid}`, wideRate(limits.rate)])
    const { device, token: state } = await findOwned(registry, claims.uid)
    if ('userId' in claims && device.userId !== claims.userId)
      throw refused('device_not_recognized')
    const status = refresh && examineToken(state, refresh, registry.clock(), registry.policy)
    if (status && !isAccepted(status)) throw refused(codeOf(status))
    if (!isIssued(state, claims)) throw refused('token_invalid')
  }

  async #exchange(claims: DerivedTokenClaims, address: string | null): Promise<NewTokens> {
    const { registry, tokens } = this.#parts
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const record = await findOwned(registry, claims.uid)
      const status = examineToken(record.token, claims, registry.clock(), registry.policy)
      if (status === 'reused') await revokeReused(registry.changes, record.device, claims)
      if (!isAccepted(status)) throw refused(codeOf(status))
      if (attempt === 0) await this.#limitRefreshes(record, status)
      const next =
        status === 'current'
          ? await useNewestToken(registry, record, address)
          : await useOlderToken(registry, record, address)
      if (next) return bearerTokens(tokens, next)
      // Another request has rotated the token, or the device was revoked. The next attempt reads
      // the device again.
    }
    const detail = 'This device sends too many simultaneous refreshes. Try again in a moment.'
    throw deviceError('device_busy', detail, { headers: { 'retry-after': '1' } })
  }

  /**
   * Limits the refreshes of a device and of its user. Uses of the newest token and of older tokens
   * are counted separately. A thief may rotate the token up to the limit. The owner can then still
   * present an older token, which reveals the theft. A client with old tokens cannot use up the
   * limit of the newest token.
   */
  async #limitRefreshes({ device }: DeviceRecord, status: TokenStatus): Promise<void> {
    const { limits } = this.#parts
    const kind = status === 'current' ? 'device' : 'older'
    await limits.consume([`refresh:${kind}:${device.uid}`, limits.rate])
    await limits.consume([`refresh:user:${device.userId}`, wideRate(limits.rate)])
  }

  /**
   * Returns the error for a forged token. Counts the token against the limit of the client's
   * address. Genuine tokens count against the limit of their device, so that one client cannot lock
   * out all others at its address.
   */
  async #rejectForged(context: RequestContext): Promise<QuillgateError> {
    const { limits } = this.#parts
    await limits.consume(...addressLimits('token', limits.ofAddress(context)))
    return refused('token_invalid')
  }
}

async function findOwned(registry: RegistryParts, uid: string): Promise<DeviceRecord> {
  const { users, db } = registry
  const record = await db.devices.find(uid)
  const user = record && (await users.find(record.device.userId))
  if (!user) throw refused('device_not_recognized')
  if (!(await users.isActive(user))) throw refused('inactive_account')
  if (isTooOld(registry, record)) throw refused('token_expired')
  return record
}

const DETAILS = {
  ...REFUSALS,
  token_reused: 'This refresh token was used before, so the device was signed out. Sign in again.',
} as const

type TokenRefusal = Exclude<keyof typeof DETAILS, 'authentication_required'>

function codeOf(status: TokenStatus): TokenRefusal {
  if (status === 'expired') return 'token_expired'
  return status === 'reused' ? 'token_reused' : 'token_invalid'
}

function refused(code: TokenRefusal): QuillgateError {
  return deviceError(code, DETAILS[code], {
    status: 401,
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${code}"` },
  })
}

import { addressKey, QuillgateError, type RequestContext } from '@quillgate/http'
import type { DeviceRecord } from '../devices/device-record.ts'
import { findDevice, rotateDeviceToken, useDevice } from '../devices/device-use.ts'
import { revokeReplayed } from '../devices/revocation.ts'
import { isTooOld } from '../devices/session-age.ts'
import type { BearerTokens } from '../options.ts'
import type { DerivedTokenClaims } from '../tokens/derived-token.ts'
import { examineToken, isAccepted, type TokenStanding } from '../tokens/token-state.ts'
import { parseUuid } from '../uuid.ts'
import type { HttpParts } from './http-parts.ts'
import { OTHERS, timesRate } from './login-guard.ts'
import { bearerTokens } from './sign-in.ts'

const MAX_TRIES = 5

/** Header of an answer about a refresh token: what the token was found to be, which is why this is the answer. */
export const TOKEN_STANDING = 'token-standing'

/** The tokens that a refresh gave. */
export interface Refreshed extends Omit<BearerTokens, 'deviceCredential'> {
  /** `current` was rotated; `answer_lost` and `within_grace` got the newest tokens again. */
  readonly standing: TokenStanding
}

/**
 * Exchanges a refresh token for new tokens. The newest one is rotated; the one before it gets the newest one again as
 * long as the answer may have been lost; an older one revokes the device.
 *
 * @throws QuillgateError 401 `token_invalid`, `token_expired`, `token_reused`, `device_not_recognized`,
 * `inactive_account`; 429 `rate_limited`
 */
export async function refreshTokens(parts: HttpParts, token: string, context: RequestContext): Promise<Refreshed> {
  const claims = parts.tokens.refresh.parse(token)
  if (!claims) throw await refuseForged(parts, context)
  await parts.limiter.consume(`refresh:device:${claims.uid}`, parts.refreshRate)
  const address = parts.keptAddress(context)
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const record = await findOwned(parts, claims.uid)
    if (attempt === 0) {
      await parts.limiter.consume(`refresh:user:${record.device.userId}`, timesRate(parts.refreshRate, OTHERS))
    }
    const standing = examineToken(record.token, claims, parts.registry.clock(), parts.policy)
    if (standing === 'reused') await revoke(parts, record, claims)
    if (!isAccepted(standing)) throw refused(codeOf(standing), standing)
    const next =
      standing === 'current'
        ? await rotateDeviceToken(parts.registry, record, address)
        : await useDevice(parts.registry, record, () => address, false)
    if (next) return { ...(await bearerTokens(parts, next)), standing }
  }
  throw new QuillgateError('device_busy', 503, 'Too many refreshes of this device at once. Try again in a moment.', {
    headers: { 'retry-after': '1' },
  })
}

/**
 * Checks an access or a refresh token. Changes nothing.
 *
 * @throws QuillgateError 401, 429 with the codes of `refreshTokens`
 */
export async function verifyToken(parts: HttpParts, token: string, context: RequestContext): Promise<void> {
  const refresh = parts.tokens.refresh.parse(token)
  if (refresh) {
    await limitVerification(parts, refresh.uid)
    const { token: state } = await findOwned(parts, refresh.uid)
    const standing = examineToken(state, refresh, parts.registry.clock(), parts.policy)
    if (!isAccepted(standing)) throw refused(codeOf(standing), standing)
    return
  }
  const access = parts.tokens.access.verify(token)
  if (access === 'token_invalid') throw await refuseForged(parts, context)
  if (typeof access === 'string') throw refused(access)
  await limitVerification(parts, access.uid)
  const { device, token: state } = await findOwned(parts, access.uid)
  if (device.userId !== access.userId) throw refused('device_not_recognized')
  if (access.family !== state.family || access.counter > state.counter) throw refused('token_invalid')
}

/** A living device of an active user, fresh from the database. */
async function findOwned({ registry, users }: HttpParts, claimedUid: string): Promise<DeviceRecord> {
  const uid = parseUuid(claimedUid)
  const record = uid === null ? null : await findDevice(registry, uid)
  const user = record && (await users.find(record.device.userId))
  if (!user) throw refused('device_not_recognized')
  if (!(await users.isActive(user))) throw refused('inactive_account')
  if (isTooOld(registry, record)) throw refused('token_expired')
  return record
}

/**
 * Tokens that are none of ours count for the address. Genuine ones do not, or one client could shut out whoever shares
 * its address; they count for their device, which nobody can name without one.
 *
 * @throws QuillgateError 429 `rate_limited`
 */
async function refuseForged(
  { limiter, network, refreshRate }: HttpParts,
  context: RequestContext,
): Promise<QuillgateError> {
  await limiter.consume(`token:address:${addressKey(network.clientAddress(context))}`, refreshRate)
  return refused('token_invalid')
}

/** Gateways ask at each request of a device, so this is far higher than for refreshing. */
function limitVerification({ limiter, refreshRate }: HttpParts, uid: string): Promise<void> {
  return limiter.consume(`verify:device:${uid}`, timesRate(refreshRate, OTHERS))
}

async function revoke(
  { registry, publish }: HttpParts,
  record: DeviceRecord,
  claims: DerivedTokenClaims,
): Promise<void> {
  const { facts } = await revokeReplayed(registry, record, claims)
  await publish(facts)
}

type TokenRefusal = keyof typeof DETAILS

const DETAILS = {
  token_invalid: 'This token is not valid.',
  token_expired: 'This token has expired.',
  token_reused: 'This refresh token was used before. The device was signed out, because two parties hold its tokens.',
  device_not_recognized: 'This device was signed out.',
  inactive_account: 'This account is not active.',
} as const

function codeOf(standing: TokenStanding): TokenRefusal {
  if (standing === 'expired') return 'token_expired'
  return standing === 'reused' ? 'token_reused' : 'token_invalid'
}

function refused(code: TokenRefusal, standing?: TokenStanding): QuillgateError {
  return new QuillgateError(code, 401, DETAILS[code], {
    headers: {
      'www-authenticate': `Bearer error="invalid_token", error_description="${code}"`,
      ...(standing ? { [TOKEN_STANDING]: standing } : {}),
    },
  })
}

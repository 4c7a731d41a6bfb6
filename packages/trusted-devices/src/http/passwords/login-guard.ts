import type { QuillgateError } from '@quillgate/server/core'
import { type RequestContext, timesRate } from '@quillgate/server/http'
import { recognize } from '../../devices/login/recognize.ts'
import type { UserDirectory } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import {
  accountKey,
  addressLimits,
  consumeAll,
  forgiveAll,
  isWithin,
  type RateLimit,
  wideRate,
} from '../rate-limits.ts'
import type { HttpParts } from '../sessions/http-parts.ts'
import { readHeaders } from '../sessions/sign-in.ts'

/** A login attempt whose password has not been checked yet. */
interface PasswordAttempt {
  readonly context: RequestContext
  readonly username: string
  /** Device credentials that have not been verified yet. */
  readonly credentials: readonly string[]
}

/**
 * Checks a password within rate limits. Attempts of an unknown device are counted per address.
 * Their failures are also counted per account, with a far higher limit. A device that has signed in
 * to the account before has its own limits, so that unknown clients cannot lock it out
 * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies). Such
 * devices at one address share a higher limit.
 *
 * @param verify checks the password. Not called for a name that no account can have.
 */
export async function guardLogin<Found extends object>(
  parts: HttpParts,
  attempt: PasswordAttempt,
  verify: () => Found | null | undefined | Promise<Found | null | undefined>,
): Promise<Found | null> {
  const { limiter, loginRate, network } = parts
  // Throws if a header cannot be read. If the error came after the password check, it would show
  // that the password is right.
  readHeaders(parts, attempt.context)
  const address = network.addressLimit(attempt.context, loginRate)
  const isPossible = isPossibleName(attempt.username)
  const device = isPossible ? await findDeviceOf(parts, attempt) : null
  const accountRate = wideRate(loginRate)
  if (device === null) await consumeAll(limiter, addressLimits('login', address))
  // Also counts successful attempts, because every password check is slow.
  else await limiter.consume(`login:device-tries:${device}`, accountRate)
  if (!isPossible) return null
  const failures: readonly RateLimit[] =
    device === null
      ? [[`login:account:${accountKey(attempt.username)}`, accountRate]]
      : [
          [`login:device:${device}`, loginRate],
          [`login:devices-at:${address.key}`, wideRate(address.rate)],
        ]
  // Counts a failure before the password check, and subtracts it after a success. Otherwise, many
  // simultaneous attempts would all pass before the first one has failed.
  await consumeAll(limiter, failures)
  const user = (await verify()) ?? null
  if (user !== null) await forgiveAll(limiter, failures)
  return user
}

/** Creates the error for a wrong password or an unknown name. */
export function invalidCredentials(): QuillgateError {
  return deviceError('invalid_credentials', 'The name or the password is wrong.')
}

/**
 * Returns whether an account can have this name. Databases do not store names with NUL characters
 * or lone surrogates. Some databases report an error for such a name. An anonymous client must not
 * be able to cause an error.
 */
function isPossibleName(username: string): boolean {
  return typeof username === 'string' && username.isWellFormed() && !username.includes('\0')
}

/**
 * Finds a device of this account by the device credentials. Returns its uid, or null. A forged
 * credential causes no database query. Genuine credentials are looked up within a rate limit. Each
 * counter value has its own limit, so that an old copy does not use up the limit of the newest
 * credential.
 */
async function findDeviceOf(
  { registry, tokens, limiter, loginRate, policy }: HttpParts,
  { username, credentials }: PasswordAttempt,
): Promise<string | null> {
  const { users } = registry
  const { devices, revoked } = registry.db
  const lookupRate = timesRate(wideRate(loginRate), 2)
  for (const token of credentials) {
    const credential = tokens.credential.parse(token)
    if (!credential) continue
    const lookups = `login:credential:${credential.uid}:${credential.counter}`
    if (!(await isWithin(limiter.consume(lookups, lookupRate)))) continue
    const live = await devices.find(credential.uid)
    const revokedDevice = live ? null : await revoked.find(credential.uid)
    const { kind } = recognize(live, revokedDevice, credential, registry.clock() - policy.grace)
    const owner = (live ?? revokedDevice)?.device.userId ?? ''
    if (kind !== 'new' && (await isNamed(users, owner, username))) return credential.uid
  }
  return null
}

/**
 * Returns whether a user has this name. The comparison is stricter than {@link accountKey}, so that
 * a device of José is not accepted for Jose.
 */
async function isNamed(users: UserDirectory, userId: string, username: string): Promise<boolean> {
  const user = await users.find(userId)
  const name = user && users.usernameOf(user)
  return typeof name === 'string' && toName(name) === toName(username)
}

function toName(username: string): string {
  return username.normalize('NFKC').trim().toLowerCase()
}

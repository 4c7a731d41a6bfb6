import { type RequestContext, timesRate } from '@quillgate/server/http'
import { recognise } from '../../devices/login/recognise.ts'
import type { UserDirectory } from '../../devices/users.ts'
import type { HttpParts } from '../http-parts.ts'
import {
  accountKey,
  addressLimits,
  consumeAll,
  forgiveAll,
  isWithin,
  type Limit,
  OTHERS,
} from '../limits.ts'
import { readHeaders } from '../sessions/sign-in.ts'

/** A password that is about to be checked. */
export interface PasswordAttempt {
  readonly context: RequestContext
  /** As it was typed. */
  readonly username: string
  /** Device credentials of this browser or client, not checked yet. */
  readonly credentials: readonly string[]
}

/**
 * Checks a password within rate limits. Attempts of an unknown device count for the address. Its
 * failures also count for the account, with a far higher limit, so that a stranger cannot lock the
 * owner out. A device that has signed in to the account before has limits of its own, so that
 * others at its address cannot lock it out
 * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
 *
 * @param verify returns the user with this name and password, or null; not called for an impossible
 * name
 * @throws QuillgateError 429 `rate_limited`
 */
export async function guardLogin<Found extends object>(
  parts: HttpParts,
  attempt: PasswordAttempt,
  verify: () => Found | null | undefined | Promise<Found | null | undefined>,
): Promise<Found | null> {
  const { limiter, loginRate, network } = parts
  // A header that cannot be read fails here. A failure after the check would show that the password
  // is right.
  readHeaders(parts, attempt.context)
  const address = network.addressLimit(attempt.context, loginRate)
  const isPossible = isPossibleName(attempt.username)
  const device = isPossible ? await findDeviceOf(parts, attempt) : null
  if (device === null) await consumeAll(limiter, addressLimits('login', address))
  // Right passwords count too, because each costs the application a check.
  else await limiter.consume(`login:device-tries:${device}`, timesRate(loginRate, OTHERS))
  if (!isPossible) return null
  const failures: readonly Limit[] =
    device === null
      ? [[`login:account:${accountKey(attempt.username)}`, timesRate(loginRate, OTHERS)]]
      : [
          [`login:device:${device}`, loginRate],
          [`login:devices-at:${address.key}`, timesRate(address.rate, OTHERS)],
        ]
  // Counted before the check, and subtracted after a success. Otherwise a burst would pass before
  // its first attempt has failed.
  await consumeAll(limiter, failures)
  const user = (await verify()) ?? null
  if (user !== null) await forgiveAll(limiter, failures)
  return user
}

/**
 * No database can store these, and some answer with an error that a stranger should not be able to
 * cause.
 */
function isPossibleName(username: string): boolean {
  return typeof username === 'string' && username.isWellFormed() && !username.includes('\0')
}

/**
 * Finds the device of this account whose newest credential is among these, or returns null. A
 * forged credential causes no database query. A genuine one is looked up only within a rate limit.
 * Each position has its own limit, so that an old copy does not use up that of the newest one.
 */
async function findDeviceOf(
  { registry, tokens, limiter, loginRate, policy }: HttpParts,
  { username, credentials }: PasswordAttempt,
): Promise<string | null> {
  const { users } = registry
  const { devices, revoked } = registry.db
  for (const token of credentials) {
    const credential = tokens.credential.parse(token)
    if (!credential) continue
    const lookups = `login:credential:${credential.uid}:${credential.counter}`
    if (!(await isWithin(limiter.consume(lookups, timesRate(loginRate, 2 * OTHERS))))) continue
    const live = await devices.find(credential.uid)
    const ended = live ? null : await revoked.find(credential.uid)
    const { kind } = recognise(live, ended, credential, registry.clock() - policy.grace)
    const owner = (live ?? ended)?.device.userId ?? ''
    if (kind !== 'new' && (await isNamed(users, owner, username))) return credential.uid
  }
  return null
}

/**
 * Compares names more strictly than the count of failures does: a device of José must not count as
 * one of Jose.
 */
async function isNamed(users: UserDirectory, userId: string, username: string): Promise<boolean> {
  const user = await users.find(userId)
  const name = user && users.usernameOf(user)
  return typeof name === 'string' && toName(name) === toName(username)
}

function toName(username: string): string {
  return username.normalize('NFKC').trim().toLowerCase()
}

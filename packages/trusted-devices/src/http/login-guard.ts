import { addressKey, type Rate, type RequestContext } from '@quillgate/http'
import { recognise } from '../devices/arrival.ts'
import { findOwner } from '../devices/device-owner.ts'
import type { UserDirectory } from '../devices/user-directory.ts'
import type { HttpParts } from './http-parts.ts'

/** What a login brings beside its password. */
export interface LoginAttempt {
  readonly context: RequestContext
  /** As it was typed. */
  readonly username: string
  /** Device credentials of this browser or client, not checked yet. */
  readonly credentials: readonly string[]
}

/**
 * How many times the rate of one address or device an account has: so many addresses must join in to lock it for
 * browsers that were never signed in to it.
 */
export const OTHERS = 20

/**
 * Checks a password, but not too often. Every try counts for the address; only failures count for the account, which
 * has a far higher limit, or a stranger could lock its owner out. A device that signed in to the account before does
 * not count for it at all and has a limit of its own
 * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
 *
 * @param verify the user with this name and password, or null; not asked about a name that nobody can have
 * @throws QuillgateError 429 `rate_limited`
 */
export async function guardLogin<Found extends object>(
  parts: HttpParts,
  { context, username, credentials }: LoginAttempt,
  verify: () => Found | null | undefined | Promise<Found | null | undefined>,
): Promise<Found | null> {
  const { limiter, loginRate, network } = parts
  await limiter.consume(`login:address:${addressKey(network.clientAddress(context))}`, loginRate)
  if (!isPossibleName(username)) return null
  const account = toAccountKey(username)
  const device = await findDeviceOf(parts, account, credentials)
  const failures = device === null ? `login:account:${account}` : `login:device:${device}`
  const rate = device === null ? timesRate(loginRate, OTHERS) : loginRate
  // Counted before and taken back after a success: a burst at once would else pass before the first one has failed.
  await limiter.consume(failures, rate)
  const user = (await verify()) ?? null
  if (user !== null) await limiter.forgive(failures, rate)
  return user
}

/** The same rate with a higher limit. */
export function timesRate(rate: Rate | null, factor: number): Rate | null {
  return rate && { ...rate, limit: rate.limit * factor }
}

/** No database can store these, and some answer with an error that a stranger should not be able to cause. */
function isPossibleName(username: string): boolean {
  return typeof username === 'string' && username.isWellFormed() && !username.includes('\0')
}

function toAccountKey(username: string): string {
  return username.normalize('NFKC').trim().toLowerCase()
}

/** The device of this account whose genuine and newest credential is among these, or null. */
async function findDeviceOf(
  { registry, tokens, users }: HttpParts,
  account: string,
  credentials: readonly string[],
): Promise<string | null> {
  const { db, table, past } = registry
  for (const token of credentials) {
    const claim = tokens.credential.read(token)
    if (!claim) continue
    // A dummy owner in place of none: the time of an answer shall not tell which devices exist.
    const userId = (await findOwner(registry, claim.uid)) ?? ''
    const credential = tokens.credential.parse(token, userId)
    if (!credential || userId === '') continue
    const living = await table.find(db.executor, claim.uid)
    const gone = living ? null : await past.find(db.executor, claim.uid)
    const { kind } = recognise(living, gone, credential)
    if ((kind === 'known' || kind === 'returning') && (await isNamed(users, userId, account))) return credential.uid
  }
  return null
}

async function isNamed(users: UserDirectory, userId: string, account: string): Promise<boolean> {
  const user = await users.find(userId)
  const name = user && users.usernameOf(user)
  return typeof name === 'string' && toAccountKey(name) === account
}

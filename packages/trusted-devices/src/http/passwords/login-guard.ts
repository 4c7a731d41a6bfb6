import type { QuillgateError } from '@quillgate/server/core'
import { type RequestContext, timesRate } from '@quillgate/server/http'
import { recognize } from '../../devices/login/recognize.ts'
import type { RegistryParts } from '../../devices/registry.ts'
import type { UserDirectory } from '../../devices/users.ts'
import { deviceError } from '../../errors.ts'
import {
  accountKey,
  addressLimits,
  isWithin,
  type RateLimit,
  type RateLimits,
  wideRate,
} from '../rate-limits.ts'
import type { Tokens } from '../sessions/session.ts'
import type { SignIn } from '../sessions/sign-in.ts'

/** A login attempt whose password has not been checked yet. */
interface PasswordAttempt {
  readonly context: RequestContext
  readonly username: string
  /** Device credentials that have not been verified yet. */
  readonly credentials: readonly string[]
}

interface LoginGuardParts {
  readonly registry: RegistryParts
  readonly signIn: SignIn
  readonly tokens: Tokens
  readonly limits: RateLimits
}

/** Checks passwords within rate limits. */
export class LoginGuard {
  readonly #parts: LoginGuardParts

  constructor(parts: LoginGuardParts) {
    this.#parts = parts
  }

  /**
   * Checks the password of a login. Attempts of an unknown device are counted per address. Their
   * failures are also counted per account, with a far higher limit. A device that has signed in to
   * the account before has its own limits, so that unknown clients cannot lock it out
   * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies). Such
   * devices at one address share a higher limit.
   *
   * @param verify checks the password. Not called for a name that no account can have.
   */
  async checkLogin<Found extends object>(
    attempt: PasswordAttempt,
    verify: () => Found | null | undefined | Promise<Found | null | undefined>,
  ): Promise<Found | null> {
    const { signIn, limits } = this.#parts
    // Throws if a header cannot be read. If the error came after the password check, it would show
    // that the password is right.
    signIn.readHeaders(attempt.context)
    const address = limits.ofAddress(attempt.context)
    const isPossible = isPossibleName(attempt.username)
    const device = isPossible ? await this.#findDevice(attempt) : null
    const accountRate = wideRate(limits.rate)
    if (device === null) await limits.consume(...addressLimits('login', address))
    // Also counts successful attempts, because every password check is slow.
    else await limits.consume([`login:device-tries:${device}`, accountRate])
    if (!isPossible) return null
    const failures: readonly RateLimit[] =
      device === null
        ? [[`login:account:${accountKey(attempt.username)}`, accountRate]]
        : [
            [`login:device:${device}`, limits.rate],
            [`login:devices-at:${address.key}`, wideRate(address.rate)],
          ]
    // Counts a failure before the password check, and subtracts it after a success. Otherwise, many
    // simultaneous attempts would all pass before the first one has failed.
    await limits.consume(...failures)
    const user = (await verify()) ?? null
    if (user !== null) await limits.forgive(...failures)
    return user
  }

  /**
   * Finds a device of this account by the device credentials. Returns its uid, or null. A forged
   * credential causes no database query. Genuine credentials are looked up within a rate limit.
   * Each counter value has its own limit, so that an old copy does not use up the limit of the
   * newest credential.
   */
  async #findDevice({ username, credentials: sent }: PasswordAttempt): Promise<string | null> {
    const { registry, limits, tokens } = this.#parts
    const { clock, db, policy, users } = registry
    const lookupRate = timesRate(wideRate(limits.rate), 2)
    for (const token of sent) {
      const credential = tokens.credential.parse(token)
      if (!credential) continue
      const lookups = `login:credential:${credential.uid}:${credential.counter}`
      if (!(await isWithin(limits.consume([lookups, lookupRate])))) continue
      const live = await db.devices.find(credential.uid)
      const revokedDevice = live ? null : await db.revoked.find(credential.uid)
      const { kind } = recognize(live, revokedDevice, credential, clock() - policy.grace)
      const owner = (live ?? revokedDevice)?.device.userId ?? ''
      if (kind !== 'new' && (await isNamed(users, owner, username))) return credential.uid
    }
    return null
  }
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

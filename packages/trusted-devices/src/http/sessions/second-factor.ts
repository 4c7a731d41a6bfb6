import { checks, field, optional, parse, toUserId, type UserId } from '@quillgate/server/core'
import type { RequestContexts } from '@quillgate/server/http'
import { checkActing } from '../../devices/acting-device.ts'
import type { RegistryParts } from '../../devices/registry.ts'
import type { DeviceKey } from '../../devices/tables/device-record.ts'
import type { BaseUser } from '../../devices/users.ts'
import { requireUid } from '../../uuid.ts'
import type { LoginCookies } from './login-cookies.ts'
import { checkUser } from './login-options.ts'
import type { SignIn } from './sign-in.ts'

const CLIENT = { deviceCredential: optional(checks.anything<string>()) }

interface SecondFactorParts {
  readonly registry: RegistryParts
  readonly contexts: RequestContexts
  readonly cookies: LoginCookies
  readonly signIn: SignIn
  /** The maximum time in seconds for which a second factor is remembered. */
  readonly maxAge: number
}

/** Remembers second factors on devices. */
export class SecondFactor {
  readonly #parts: SecondFactorParts

  /** Applications use `devices.secondFactor` instead. */
  constructor(parts: SecondFactorParts) {
    this.#parts = parts
  }

  /**
   * Remembers the second factor on a device. Call this method if the user has passed the second
   * factor and asks to be remembered.
   *
   * @param options `for`: the duration in seconds; the default and the maximum are 30 days
   * @returns the time until which the second factor is remembered, or null if the device was
   * revoked in the meantime
   */
  async remember(device: DeviceKey, options: { readonly for?: number } = {}): Promise<Date | null> {
    const { registry, maxAge } = this.#parts
    const { ready, db, clock } = registry
    checkActing('secondFactor.remember', device)
    const schema = { for: field(checks.positiveSeconds(maxAge), maxAge) }
    const { for: lifetime } = parse(schema, options, 'secondFactor.remember')
    await ready()
    const until = Math.floor(clock() + lifetime * 1000)
    const isThere = await db.devices.update(device, { secondFactorUntil: until })
    return isThere ? new Date(until) : null
  }

  /**
   * Returns true if the second factor of a user is remembered for this browser. Call this method
   * after the password was checked and before `login`, because `login` replaces the device
   * credential. Only the newest device credential is accepted, so that copies of older credentials
   * are useless.
   *
   * @param source the request of a browser, or `{ deviceCredential }` that a bearer client sent
   */
  async isRemembered(user: BaseUser, source: unknown): Promise<boolean> {
    checkUser('secondFactor.isRemembered', user)
    const { contexts, cookies, maxAge, registry, signIn } = this.#parts
    const isClient = typeof source === 'object' && source !== null && 'deviceCredential' in source
    const tokens = isClient
      ? [parse(CLIENT, source, 'secondFactor.isRemembered').deviceCredential ?? '']
      : cookies.credentials(contexts.of(source, 'secondFactor.isRemembered'))
    await registry.ready()
    const userId = registry.users.idOf(user)
    const credential = await signIn.findCredential(userId, tokens)
    const record = credential && (await registry.db.devices.findOwn({ ...credential, userId }))
    if (!record || credential.counter !== record.credentialCounter) return false
    const until = record.device.secondFactorRememberedUntil?.getTime() ?? 0
    const now = registry.clock()
    // If the maximum was lowered or the clock was set back, the stored time can be too far in the
    // future. It is then ignored.
    return now < until && until <= now + maxAge * 1000
  }

  /**
   * Forgets the second factor on one device of a user. Without `uid`, forgets it on all devices.
   * Call this method when the second factor changes.
   *
   * @returns the number of devices on which the second factor was remembered
   */
  async forget(userId: UserId, uid?: string): Promise<number> {
    const { ready, changes } = this.#parts.registry
    await ready()
    const device = uid === undefined ? null : requireUid(uid)
    const owner = toUserId(userId)
    return changes.apply(owner, null, ({ devices }) => devices.clearSecondFactor(owner, device))
  }
}

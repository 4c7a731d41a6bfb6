import { checks, optional, parse, toUserId, type UserId } from '@quillgate/server/core'
import type { RequestContexts } from '@quillgate/server/http'
import { type ActingDevice, checkActing } from '../devices/acting-device.ts'
import { forgetSecondFactor } from '../devices/edit.ts'
import type { BaseUser } from '../devices/users.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { checkUser } from '../http/sessions/login-options.ts'
import { findCredential } from '../http/sessions/sign-in.ts'
import { requireUid } from '../uuid.ts'

const REMEMBER = { for: optional(checks.anything<number>()) }
const CLIENT = { deviceCredential: optional(checks.anything<string>()) }

/** Remembers second factors on devices. */
export class SecondFactor {
  readonly #parts: HttpParts
  readonly #contexts: RequestContexts
  readonly #ready: () => Promise<void>

  /** Applications use `devices.secondFactor`. */
  constructor(parts: HttpParts, contexts: RequestContexts, ready: () => Promise<void>) {
    this.#parts = parts
    this.#contexts = contexts
    this.#ready = ready
  }

  /**
   * Remembers the second factor on a device. Call it after the user has passed the second factor
   * and wants to have it remembered.
   *
   * @param options `for`: the duration in seconds; the default and the maximum are 30 days
   * @returns the time until which it is remembered, or null if the device was revoked meanwhile
   */
  async remember(
    device: ActingDevice,
    options: { readonly for?: number } = {},
  ): Promise<Date | null> {
    checkActing('secondFactor.remember', device)
    const { for: seconds } = parse(REMEMBER, options, 'secondFactor.remember')
    await this.#ready()
    return this.#parts.registry.live.rememberSecondFactor(device, seconds)
  }

  /**
   * Returns true if the second factor of a user is remembered for this browser. Call it after the
   * password was checked and before `login`, which renews the device credential. A previous device
   * credential is not accepted.
   *
   * @param source the request of a browser, or `{ deviceCredential }` that a bearer client sent
   */
  async isRemembered(user: BaseUser, source: unknown): Promise<boolean> {
    checkUser('secondFactor.isRemembered', user)
    const { cookies, registry } = this.#parts
    const isClient = typeof source === 'object' && source !== null && 'deviceCredential' in source
    const tokens = isClient
      ? [parse(CLIENT, source, 'secondFactor.isRemembered').deviceCredential ?? '']
      : cookies.credentials(this.#contexts.of(source, 'secondFactor.isRemembered'))
    await this.#ready()
    const userId = registry.users.idOf(user)
    const credential = await findCredential(this.#parts, userId, tokens)
    return registry.live.isSecondFactorRemembered(userId, credential)
  }

  /**
   * Forgets the second factor on one device of a user, or on all of them. Call it when the second
   * factor changes.
   *
   * @returns the number of devices on which it was remembered
   */
  async forget(userId: UserId, uid?: string): Promise<number> {
    await this.#ready()
    const device = uid === undefined ? null : requireUid(uid)
    const { changes } = this.#parts.registry
    return (await forgetSecondFactor(changes, toUserId(userId), device)).result
  }
}

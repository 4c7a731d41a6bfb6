import { checks, optional, parse, toUserId, type UserId } from '@quillgate/server/core'
import type { RequestContexts } from '@quillgate/server/http'
import { type ActingDevice, checkActing } from '../devices/acting-device.ts'
import { forgetSecondFactor } from '../devices/edit.ts'
import type { BaseUser } from '../devices/users.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { checkUser } from '../http/sessions/login-options.ts'
import { findCredential } from '../http/sessions/sign-in.ts'
import { requireUid } from '../uuid.ts'

/** Remembers second factors on devices. */
export interface SecondFactor {
  /**
   * Remembers the second factor on a device. Call it after the user has shown it and wants it
   * remembered.
   *
   * @param options `for`: seconds, by default and at most 30 days
   * @returns until when; null if the device was revoked meanwhile
   */
  remember(device: ActingDevice, options?: { readonly for?: number }): Promise<Date | null>
  /**
   * Returns true if the second factor of a user is remembered for this browser. Call it after the
   * password was checked and before `login`, which renews the device credential. Only the current
   * credential counts.
   *
   * @param source the request of a browser, or `{ deviceCredential }` that a bearer client sent
   */
  isRemembered(user: BaseUser, source: unknown): Promise<boolean>
  /**
   * Forgets the second factor on one device of a user, or on all of them. Call it when the second
   * factor changes.
   *
   * @returns the number of devices on which it was remembered
   */
  forget(userId: UserId, uid?: string): Promise<number>
}

const REMEMBER = { for: optional(checks.anything<number>()) }
const CLIENT = { deviceCredential: optional(checks.anything<string>()) }

/** Creates the operations on second factors. They wait for `ready`. */
export function createSecondFactor(
  parts: HttpParts,
  contexts: RequestContexts,
  ready: () => Promise<void>,
): SecondFactor {
  const { cookies, registry } = parts
  const { changes, live, users } = registry
  return {
    async remember(device, given = {}) {
      checkActing('secondFactor.remember', device)
      const options = parse(REMEMBER, given, 'secondFactor.remember')
      await ready()
      return live.rememberSecondFactor(device, options.for)
    },
    async isRemembered(user, source) {
      checkUser('secondFactor.isRemembered', user)
      const isClient = typeof source === 'object' && source !== null && 'deviceCredential' in source
      const sent = isClient ? parse(CLIENT, source, 'secondFactor.isRemembered') : null
      const context = sent ? null : contexts.of(source, 'secondFactor.isRemembered')
      await ready()
      const userId = users.idOf(user)
      const tokens = context ? cookies.credentials(context) : [sent?.deviceCredential ?? '']
      const credential = await findCredential(parts, userId, tokens)
      return live.isSecondFactorRemembered(userId, credential)
    },
    async forget(userId, uid) {
      await ready()
      const device = uid === undefined ? null : requireUid(uid)
      return (await forgetSecondFactor(changes, toUserId(userId), device)).result
    },
  }
}

import { anything, optional, parse } from '@quillgate/server/core'
import type { RequestContexts } from '@quillgate/server/http'
import { checkActing } from '../devices/acting-device.ts'
import { forgetSecondFactor, forgetSecondFactorAs } from '../devices/edit.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { requireUid } from '../uuid.ts'
import { checkUser, credentialSource } from './call-options.ts'
import type { SecondFactor } from './guard-options.ts'

/** Creates the operations on second factors. They wait for `ready`. */
export function createSecondFactor(
  { registry, cookies, tokens }: HttpParts,
  contexts: RequestContexts,
  ready: () => Promise<void>,
): SecondFactor {
  const { changes, live, settings, users } = registry
  return {
    async remember(device, given = {}) {
      checkActing('secondFactor.remember', device)
      const options = parse({ for: optional(anything<number>()) }, given, 'secondFactor.remember')
      await ready()
      return live.rememberSecondFactor(device, options.for)
    },
    async isRemembered(user, source) {
      checkUser('secondFactor.isRemembered', user)
      const sent = credentialSource('secondFactor.isRemembered', source)
      const context = sent ? null : contexts.of(source, 'secondFactor.isRemembered')
      await ready()
      const userId = users.idOf(user)
      const token = context ? cookies.credential(context, userId) : sent?.deviceCredential
      const credential = token ? tokens.credential.parse(token, userId) : null
      return live.isSecondFactorRemembered(userId, credential)
    },
    async forget(userId, uid) {
      await ready()
      const device = uid === undefined ? null : requireUid(uid)
      return (await forgetSecondFactor(changes, users.toUserId(userId), device)).result
    },
    async forgetAs(acting, uid) {
      checkActing('secondFactor.forgetAs', acting)
      await ready()
      await forgetSecondFactorAs(changes, settings, acting, requireUid(uid))
    },
  }
}

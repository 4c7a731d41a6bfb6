import type { RequestContext } from '@quillgate/server/http'
import {
  forgetSecondFactor,
  forgetSecondFactorAs,
  isSecondFactorRemembered,
  rememberSecondFactor,
} from '../devices/operations/second-factor.ts'
import type { GuardOperations } from '../guard-options.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { requireUid } from '../uuid.ts'
import { requireTrusted } from './require-trusted.ts'

/** The guards of an application's own routes and logins. They wait for `ready`. */
export function createGuardOperations(
  parts: HttpParts,
  ready: () => Promise<void>,
): GuardOperations {
  const { registry, users } = parts
  const run = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    await ready()
    return work()
  }
  return {
    requireTrusted: (context, requirements) =>
      run(() => requireTrusted(parts, context, requirements)),
    rememberSecondFactor: (device, options = {}) =>
      run(() => rememberSecondFactor(registry, device, options.for)),
    isSecondFactorRemembered: (user, source) =>
      run(() => {
        const userId = users.idOf(user)
        const token =
          'request' in source ? credentialOf(parts, source, userId) : source.deviceCredential
        return isSecondFactorRemembered(
          registry,
          userId,
          token ? parts.tokens.credential.parse(token, userId) : null,
        )
      }),
    forgetSecondFactor: (userId, uid) =>
      run(async () => {
        const device = uid === undefined ? null : requireUid(uid)
        return (await forgetSecondFactor(registry, users.toUserId(userId), device)).result
      }),
    forgetSecondFactorAs: (acting, uid) =>
      run(async () => void (await forgetSecondFactorAs(registry, acting, requireUid(uid)))),
  }
}

function credentialOf(
  { cookies }: HttpParts,
  context: RequestContext,
  userId: string,
): string | null {
  return cookies.credential(context, userId)
}

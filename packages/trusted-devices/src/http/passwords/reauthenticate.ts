import { ConfigurationError } from '@quillgate/server/core'
import { bodies, type Endpoint, type RequestContext } from '@quillgate/server/http'
import { useNewestToken } from '../../devices/use-device.ts'
import type { User, UserDirectory } from '../../devices/users.ts'
import { defineEndpoint, noContent, signedInToChange } from '../define-endpoint.ts'
import { PATHS } from '../paths.ts'
import { consumeAll, forgiveAll, wideRate } from '../rate-limits.ts'
import type { HttpParts, SessionParts } from '../sessions/http-parts.ts'
import { signInFirst } from '../sessions/identify.ts'
import type { Identity } from '../sessions/session.ts'
import { invalidCredentials } from './login-guard.ts'

/** Creates the endpoint `POST /trusted-devices/reauthenticate`. */
export const postReauthenticate = (parts: HttpParts): Endpoint =>
  defineEndpoint({
    id: 'reauthenticate',
    method: 'POST',
    path: PATHS.reauthenticate,
    summary: 'Enter the password again, for operations that require a recent password entry',
    access: signedInToChange(parts),
    body: bodies.properties({ password: { type: 'text' } }),
    answers: { 204: { description: 'Done; there is no body' } },
    errors: ['invalid_credentials', 'rate_limited'],
    async handle({ context, caller, body }) {
      const { device } = caller.record
      const { clock, db, users } = parts.registry
      // Counts only failures. The limit per device is the lowest, so that an intruder on one device
      // cannot lock out the owner's other devices. The much higher limit per account stops attempts
      // from many devices. The limit per address stops attempts on many accounts.
      const address = parts.network.addressLimit(context, parts.loginRate)
      const limits = [
        [`reauthenticate:device:${device.uid}`, parts.loginRate],
        [`reauthenticate:user:${device.userId}`, wideRate(parts.loginRate)],
        [`reauthenticate:address:${address.key}`, wideRate(address.rate)],
      ] as const
      await consumeAll(parts.limiter, limits)
      if (!(await isPasswordOf(users, caller.user, body.password))) throw invalidCredentials()
      await forgiveAll(parts.limiter, limits)
      if (!(await db.devices.update(device, { provedAt: clock() })))
        throw signInFirst('device_not_recognized', context)
      await renewSession(parts, context, caller)
      return noContent()
    },
  })

/**
 * Replaces the session token after a password check, as ASVS 5.0 §7.2.4 requires. Bearer clients
 * receive new tokens when they refresh.
 */
async function renewSession(
  parts: SessionParts,
  context: RequestContext,
  { transport, record, isRenewed }: Identity,
): Promise<void> {
  if (transport !== 'cookie' || isRenewed) return
  const renewed = await useNewestToken(parts.registry, record, parts.storedAddress(context))
  if (!renewed) return // Another request has rotated the token or revoked the device.
  const token = parts.tokens.session.issue({ ...renewed.token, uid: record.device.uid })
  parts.cookies.setSession(context, token)
}

async function isPasswordOf(users: UserDirectory, user: User, password: string): Promise<boolean> {
  const username = users.usernameOf(user)
  if (username === null) {
    throw new ConfigurationError(
      'users.usernameOf',
      'is required for reauthentication, because your users have no property `username`',
    )
  }
  const verified = await users.verifyCredentials(username, password)
  return verified !== null && users.idOf(verified) === users.idOf(user)
}

import { ConfigurationError } from '@quillgate/server/core'
import { bodies, type Endpoint } from '@quillgate/server/http'
import type { RegistryParts } from '../../devices/registry.ts'
import type { User, UserDirectory } from '../../devices/users.ts'
import { defineEndpoint, noContent, signedInToChange } from '../define-endpoint.ts'
import { PATHS } from '../paths.ts'
import { type RateLimits, wideRate } from '../rate-limits.ts'
import { type Sessions, signInFirst } from '../sessions/sessions.ts'
import { invalidCredentials } from './login-guard.ts'

/** Creates the endpoint `POST /trusted-devices/reauthenticate`. */
export const postReauthenticate = (
  sessions: Sessions,
  { clock, db, users }: RegistryParts,
  limits: RateLimits,
): Endpoint =>
  defineEndpoint({
    id: 'reauthenticate',
    method: 'POST',
    path: PATHS.reauthenticate,
    summary: 'Enter the password again, for operations that require a recent password entry',
    access: signedInToChange(sessions),
    body: bodies.properties({ password: { type: 'text' } }),
    answers: { 204: { description: 'Done; there is no body' } },
    errors: ['invalid_credentials', 'rate_limited'],
    async handle({ context, caller, body }) {
      const { device } = caller.record
      // Counts only failures. The limit per device is the lowest, so that an intruder on one device
      // cannot lock out the owner's other devices. The much higher limit per account stops attempts
      // from many devices. The limit per address stops attempts on many accounts.
      const address = limits.ofAddress(context)
      const failures = [
        [`reauthenticate:device:${device.uid}`, limits.rate],
        [`reauthenticate:user:${device.userId}`, wideRate(limits.rate)],
        [`reauthenticate:address:${address.key}`, wideRate(address.rate)],
      ] as const
      await limits.consume(...failures)
      if (!(await isPasswordOf(users, caller.user, body.password))) throw invalidCredentials()
      await limits.forgive(...failures)
      if (!(await db.devices.update(device, { provedAt: clock() })))
        throw signInFirst('device_not_recognized', context)
      await sessions.renew(context, caller)
      return noContent()
    },
  })

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

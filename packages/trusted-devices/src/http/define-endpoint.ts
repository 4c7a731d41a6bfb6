import {
  type Access,
  createDefineEndpoint,
  type DefineEndpoint,
  type PathParam,
} from '@quillgate/server/http'
import type { UserDirectory } from '../devices/users.ts'
import { DEVICE_ERRORS, type TrustedDevicesErrorCode } from '../errors.ts'
import { requireUid } from '../uuid.ts'
import type { FoundSession, Identity } from './sessions/session.ts'
import { type Sessions, signInFirst } from './sessions/sessions.ts'

/** Defines an endpoint of this package. Its path is relative to the base path. */
export const defineEndpoint: DefineEndpoint<TrustedDevicesErrorCode> = createDefineEndpoint(
  'trusted-devices',
  DEVICE_ERRORS,
)

const security = ['bearer', 'session', 'sessionOverHttp']

/** Returns the access rules for requests that change nothing. Requires a signed-in device. */
export function signedIn(sessions: Sessions): Access<Identity> {
  return {
    security,
    authenticate: (context) => sessions.requireIdentity(context),
    errors: ['token_expired'],
  }
}

/** Returns the access rules for changes. Requires a signed-in device and the CSRF token. */
export function signedInToChange(sessions: Sessions): Access<Identity> {
  return {
    ...signedIn(sessions),
    verifyCsrf: (context, { transport, user }) => sessions.requireCsrf(context, transport, user),
  }
}

/**
 * Returns access rules like {@link signedInToChange}. Also accepts a device whose user is blocked
 * or deleted, so that the device can sign out.
 */
export function signedInToLeave(sessions: Sessions, users: UserDirectory): Access<FoundSession> {
  return {
    security,
    errors: ['token_expired'],
    async authenticate(context) {
      const found = await sessions.find(context)
      if (typeof found === 'string') throw signInFirst(found, context)
      return found
    },
    async verifyCsrf(context, { record, transport }) {
      const { userId } = record.device
      // The CSRF token belongs to the user object of the application. If the user cannot be found,
      // an object with only the id takes its place, so that the device can sign out.
      const found = await users.find(userId).catch(() => null)
      await sessions.requireCsrf(context, transport, found ?? { id: userId })
    },
  }
}

/** The path parameter `uid`. */
export const UID_PARAM: PathParam<string> = {
  schema: { type: 'string', format: 'uuid' },
  errors: ['invalid_uid'],
  parse: (text) => requireUid(text, 'The uid of a device in the path must be a UUID.'),
}

/** Returns an empty 204 response that must not be cached. */
export function noContent(): Response {
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
}

import {
  type Access,
  type CsrfUser,
  createDefineEndpoint,
  type DefineEndpoint,
  type PathParam,
  type RequestContext,
  requireCsrf,
} from '@quillgate/server/http'
import { DEVICE_ERRORS, type TrustedDevicesErrorCode } from '../errors.ts'
import { requireUid } from '../uuid.ts'
import { findSession } from './sessions/find-session.ts'
import type { SessionParts } from './sessions/http-parts.ts'
import { requireIdentity, signInFirst } from './sessions/identify.ts'
import type { FoundSession, Identity } from './sessions/session.ts'

/** Defines an endpoint of this package. Its path is relative to the base path. */
export const defineEndpoint: DefineEndpoint<TrustedDevicesErrorCode> = createDefineEndpoint(
  'trusted-devices',
  DEVICE_ERRORS,
)

const security = ['bearer', 'session', 'sessionOverHttp']

/** Returns the access rules for requests that change nothing. Requires a signed-in device. */
export function signedIn(parts: SessionParts): Access<Identity> {
  return {
    security,
    authenticate: (context) => requireIdentity(parts, context),
    errors: ['token_expired'],
  }
}

/** Returns the access rules for changes. Requires a signed-in device and the CSRF token. */
export function signedInToChange(parts: SessionParts): Access<Identity> {
  return {
    ...signedIn(parts),
    verifyCsrf: (context, { transport, user }) =>
      requireDeviceCsrf(parts, context, transport, user),
  }
}

/**
 * Returns access rules like {@link signedInToChange}. Also accepts a device whose user is blocked
 * or deleted, so that the device can sign out.
 */
export function signedInToLeave(parts: SessionParts): Access<FoundSession> {
  return {
    security,
    errors: ['token_expired'],
    async authenticate(context) {
      const found = await findSession(parts, context)
      if (typeof found === 'string') throw signInFirst(found, context)
      return found
    },
    async verifyCsrf(context, { record, transport }) {
      const { userId } = record.device
      // The CSRF token belongs to the user object of the application. If the user cannot be found,
      // an object with only the id takes its place, so that the device can sign out.
      const found = await parts.registry.users.find(userId).catch(() => null)
      await requireDeviceCsrf(parts, context, transport, found ?? { id: userId })
    },
  }
}

async function requireDeviceCsrf(
  { csrf, identifyAny }: SessionParts,
  context: RequestContext,
  transport: FoundSession['transport'],
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer') return
  // An application can have several instances of trusted devices. The CSRF token of a page belongs
  // to the user of the first instance that identifies a user.
  const identity = await identifyAny(context).catch(() => null)
  const owner = { user: identity?.user ?? user, isBearer: false }
  await requireCsrf(csrf, context, owner)
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

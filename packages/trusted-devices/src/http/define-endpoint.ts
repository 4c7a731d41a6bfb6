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
import type { HttpParts } from './http-parts.ts'
import { type FoundSession, findSession } from './sessions/find-session.ts'
import { type Identity, requireIdentity, signInFirst } from './sessions/identify.ts'

/** Defines an endpoint of the trusted devices. Its path is below the base path. */
export const defineEndpoint: DefineEndpoint<TrustedDevicesErrorCode> = createDefineEndpoint(
  'trusted-devices',
  DEVICE_ERRORS,
)

const security = ['bearer', 'session', 'sessionOverHttp']

/** A device that is signed in, for requests that change nothing. */
export function signedIn(parts: HttpParts): Access<Identity> {
  return {
    security,
    authenticate: (context) => requireIdentity(parts, context),
    errors: ['token_expired'],
  }
}

/** A device that is signed in, with the CSRF token if it is a browser. */
export function signedInToChange(parts: HttpParts): Access<Identity> {
  return {
    ...signedIn(parts),
    verifyCsrf: (context, { transport, user }) =>
      requireDeviceCsrf(parts, context, transport, user),
  }
}

/**
 * As {@link signedInToChange}, but a valid token is enough: also the device of a user who is
 * blocked may sign out.
 */
export function signedInToLeave(parts: HttpParts): Access<FoundSession> {
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
      // The token of the page contains the id as the application spells it. Signing out must work
      // without a user too.
      const found = await parts.registry.users.find(userId).catch(() => null)
      await requireDeviceCsrf(parts, context, transport, found ?? { id: userId })
    },
  }
}

/**
 * Requires the CSRF token of a change that is authenticated by a cookie, ours or the application's.
 *
 * @throws QuillgateError 403 `csrf_failed`
 */
async function requireDeviceCsrf(
  { csrf, identifyAny }: HttpParts,
  context: RequestContext,
  transport: FoundSession['transport'],
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer') return
  // With several instances, the page's token belongs to the user of the first one that identifies a
  // user.
  const identity = await identifyAny(context).catch(() => null)
  const owner = { user: identity?.user ?? user, isBearer: false }
  await requireCsrf(csrf, context, owner)
}

/** The uid of a device in a path. */
export const UID_PARAM: PathParam<string> = {
  schema: { type: 'string', format: 'uuid' },
  errors: ['invalid_uid'],
  parse: (text) => requireUid(text, 'The uid of a device in the path must be a UUID.'),
}

/** Returns 204, for no cache. */
export function noContent(): Response {
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
}

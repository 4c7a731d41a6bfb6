import type { RequestContext } from '@quillgate/server/http'
import { logOut } from '../../devices/revocation/revoke.ts'
import { findSession } from './find-session.ts'
import type { SessionParts } from './http-parts.ts'
import { cacheIdentity } from './identify.ts'
import type { FoundSession, Refusal } from './session.ts'
import { requireCookies } from './sign-in.ts'

/**
 * Revokes the device that made a request, and removes its session cookie. If the request is not
 * signed in, only removes the cookie.
 */
export async function signOut(parts: SessionParts, context: RequestContext): Promise<void> {
  requireCookies(context, 'logout')
  const found = await findSession(parts, context)
  if (typeof found !== 'string') await logOut(parts.registry.changes, found.record.device)
  clearSession(parts, context, typeof found === 'string' ? null : found.transport)
}

/**
 * Removes the session cookie of a browser and makes its CSRF tokens invalid. Keeps the device
 * credential, so that the browser is recognized at its next login.
 */
export function clearSession(
  parts: SessionParts,
  context: RequestContext,
  transport: FoundSession['transport'] | null,
): void {
  const nobody = async (): Promise<Refusal> => 'authentication_required'
  void cacheIdentity(parts, context, nobody)
  const hasCookie = parts.cookies.session(context) !== null
  if (hasCookie) parts.cookies.clearSession(context)
  if (hasCookie || transport === 'session') parts.csrf.rotate(context)
}

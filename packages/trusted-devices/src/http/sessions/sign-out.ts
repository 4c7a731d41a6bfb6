import type { RequestContext } from '@quillgate/server/http'
import { logOut } from '../../devices/revocation/revoke.ts'
import type { HttpParts } from '../http-parts.ts'
import { findSession } from './find-session.ts'

/** Revokes the device that made a request, if one did, and takes its session cookie away. */
export async function signOut(
  parts: HttpParts,
  context: RequestContext,
): Promise<{ headers: Headers }> {
  const found = await findSession(parts, context)
  if (typeof found !== 'string')
    await parts.publish((await logOut(parts.registry, found.record.device)).facts)
  return { headers: clearSession(parts, context) }
}

/**
 * Headers that take the session cookie away, if there is one. The device credential stays: the same browser is the same
 * device at its next login.
 */
export function clearSession({ cookies }: HttpParts, context: RequestContext): Headers {
  const headers = new Headers()
  if (cookies.session(context) !== null) cookies.clearSession(headers, context)
  return headers
}

import { type CsrfUser, type RequestContext, requireCsrf } from '@quillgate/server/http'
import type { HttpParts } from '../http-parts.ts'

/**
 * Requires the CSRF token of a change that is authenticated by a cookie, ours or the application's.
 *
 * @throws QuillgateError 403 `csrf_failed`
 */
export async function requireDeviceCsrf(
  { csrf, identifyAny }: HttpParts,
  context: RequestContext,
  transport: 'cookie' | 'bearer' | 'session',
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer') return
  // With several instances, the page's token belongs to the user of the first one that identifies a
  // user.
  const owner = { user: (await identifyAny(context))?.user ?? user, isBearer: false }
  await requireCsrf(csrf, context, owner)
}

import { csrfFailed } from '@quillgate/server/core'
import {
  type CsrfUser,
  checkCsrf,
  csrfTokenFrom,
  type RequestContext,
} from '@quillgate/server/http'
import type { HttpParts } from '../http-parts.ts'

/**
 * Requires the CSRF token of a change that is authenticated by a cookie, ours or the application's.
 *
 * @throws QuillgateError 403 `csrf_failed`
 */
export async function requireCsrf(
  { csrf, identifyAny }: HttpParts,
  context: RequestContext,
  transport: 'cookie' | 'bearer' | 'session',
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer') return
  // With several instances, the page's token belongs to the user of the first one that identifies a
  // user.
  const owner = { user: (await identifyAny(context))?.user ?? user, isBearer: false }
  const readToken = async (): Promise<string | null> => csrfTokenFrom(context.request)
  if (!(await checkCsrf(csrf, context, owner, readToken))) throw csrfFailed()
}

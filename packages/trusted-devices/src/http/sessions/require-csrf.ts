import { csrfFailed } from '@quillgate/server/core'
import { type CsrfUser, csrfTokenFrom, type RequestContext } from '@quillgate/server/http'
import type { HttpParts } from '../http-parts.ts'

/**
 * Requires the CSRF token of a change that a browser's cookie stands for, ours or the application's; a bearer token no other site can send.
 *
 * @throws QuillgateError 403 `csrf_failed`
 */
export async function requireCsrf(
  { csrf }: HttpParts,
  context: RequestContext,
  transport: 'cookie' | 'bearer' | 'session',
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer' || (await csrf.verify(context, csrfTokenFrom(context.request), user)))
    return
  throw csrfFailed()
}

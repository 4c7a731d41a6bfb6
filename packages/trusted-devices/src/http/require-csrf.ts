import { type CsrfUser, csrfFailed, csrfTokenFrom, type RequestContext } from '@quillgate/http'
import type { HttpParts } from './http-parts.ts'

/**
 * Requires the CSRF token of a change that a browser's cookie stands for; a bearer token no other site can send.
 *
 * @throws QuillgateError 403 `csrf_failed`
 */
export async function requireCsrf(
  { csrf }: HttpParts,
  context: RequestContext,
  transport: 'cookie' | 'bearer',
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer' || (await csrf.verify(context, csrfTokenFrom(context.request), user))) return
  throw csrfFailed()
}

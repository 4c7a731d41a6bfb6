import { authenticationRequired, csrfFailed, toUserId } from '@quillgate/server/core'
import { hasBearer, type Rate, type RequestContext } from '@quillgate/server/http'
import { anonymousOwner, userOwner } from '../media/owner.ts'
import type { EditorUser, Requester, RouteDependencies } from './dependencies.ts'

type Needs = Pick<RouteDependencies, 'authenticate' | 'csrf' | 'settings'>

/**
 * Finds out who is signed in.
 *
 * @param purpose completes "Sign in to …", for example `upload files`
 * @returns null when nobody is, and the settings allow that
 * @throws QuillgateError 401 `authentication_required`, 500 `invalid_user` for a user without a usable id
 */
export async function authenticateUser(
  deps: Needs,
  context: RequestContext,
  purpose: string,
): Promise<EditorUser | null> {
  const user = (await deps.authenticate(withoutCookies(context))) ?? null
  if (user === null && deps.settings.requireAuth)
    throw authenticationRequired(`Sign in to ${purpose}.`)
  // What is no user, such as `false`, must neither pass for one nor for nobody.
  if (user !== null) toUserId(user.id)
  return user
}

/**
 * Beside a token of its own, even a bad one, a request's cookies do not count: it needs no proof that a page of ours
 * made it. An application that looks for a token first and a cookie then would forget that.
 */
function withoutCookies(context: RequestContext): RequestContext {
  const { url, method, headers: sent } = context.request
  if (!hasBearer(context.request) || !sent.has('cookie')) return context
  const headers = new Headers(sent)
  headers.delete('cookie')
  return { ...context, request: new Request(url, { method, headers }) }
}

/** True when the request must prove that our own page made it: all but those with a token that browsers never add. */
export function needsCsrf(request: Request): boolean {
  return !hasBearer(request)
}

/**
 * Checks a CSRF token.
 *
 * @throws QuillgateError 403 `csrf_failed`
 */
export async function verifyCsrf(
  deps: Needs,
  context: RequestContext,
  user: EditorUser | null,
  token: string | null,
): Promise<void> {
  if (await deps.csrf.verify(context, token, user)) return
  throw csrfFailed()
}

/**
 * Who owns what this request makes: the user, or else the anonymous session, whose cookie `verifyCsrf` has checked.
 *
 * @throws QuillgateError 401 `authentication_required` when there is neither: a bad bearer token (its cookies do not
 * count), or CSRF protection of the application's own, which has no sessions
 */
export function requesterOf(
  deps: Needs,
  context: RequestContext,
  user: EditorUser | null,
): Requester {
  if (user) return { owner: userOwner(user.id), user }
  const session = needsCsrf(context.request) ? deps.csrf.session?.(context) : null
  if (!session)
    throw authenticationRequired('Sign in, or send this from a page with an anonymous session.')
  return { owner: anonymousOwner(session), user }
}

/** Counts one request of a user. Anonymous sessions are free to make, so there the address counts. */
export async function consumeRate(
  what: 'upload' | 'finalize',
  { network, limiter }: Pick<RouteDependencies, 'network' | 'limiter'>,
  context: RequestContext,
  requester: Requester,
  rate: Rate | null,
): Promise<void> {
  if (requester.user) return limiter.consume(`${what}:${requester.owner}`, rate)
  const shared = network.addressLimit(context, rate)
  return limiter.consume(`${what}:address:${shared.key}`, shared.rate)
}

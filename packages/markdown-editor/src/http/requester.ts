import { serverError, toUserId } from '@quillgate/server/core'
import { hasBearer, type Rate, type RequestContext } from '@quillgate/server/http'
import type { EditorUser, Principal } from '../media/ledger/principal.ts'
import { anonymousOwner, userOwner } from '../media/ledger/principal.ts'
import type { RouteDependencies } from './dependencies.ts'

type Needs = Pick<RouteDependencies, 'authenticate' | 'csrf' | 'identify' | 'settings'>

/**
 * Finds out who is signed in.
 *
 * @param purpose completes "Sign in to …", for example `upload files`
 * @returns null if there is no user, and the settings allow that
 * @throws QuillgateError 401 `authentication_required`, 500 `invalid_user` for a user without a
 * usable id
 */
export async function authenticateUser(
  deps: Needs,
  context: RequestContext,
  purpose: string,
): Promise<EditorUser | null> {
  const user = await deps.authenticate(context)
  if (user === null && deps.settings.requireAuth)
    throw serverError('authentication_required', `Sign in to ${purpose}.`)
  return user
}

/**
 * Returns the owner of new files: the user, or the anonymous session whose cookie `verifyCsrf` has
 * checked.
 *
 * @throws QuillgateError 401 `authentication_required` when there is neither: a bad bearer token
 * (its cookies do not count), or CSRF protection of the application's own, which has no sessions
 */
export function requesterOf(
  deps: Needs,
  context: RequestContext,
  user: EditorUser | null,
): Principal {
  if (user) return { owner: userOwner(user.id), user }
  const session = hasBearer(context.request) ? null : deps.csrf.session(context)
  if (!session)
    throw serverError(
      'authentication_required',
      'Sign in, or send this from a page with an anonymous session.',
    )
  return { owner: anonymousOwner(session), user }
}

/**
 * Counts one request of a user. Anonymous sessions are free to make, so there the address counts.
 */
export async function consumeRate(
  what: 'upload' | 'finalize',
  { network, limiter }: Pick<RouteDependencies, 'network' | 'limiter'>,
  context: RequestContext,
  requester: Principal,
  rate: Rate | null,
): Promise<void> {
  if (requester.user) return limiter.consume(`${what}:${requester.owner}`, rate)
  const shared = network.addressLimit(context, rate)
  return limiter.consume(`${what}:address:${shared.key}`, shared.rate)
}

/**
 * Asks the application who made a request.
 *
 * @throws QuillgateError 500 `invalid_user` for what is no user, such as `false`
 */
export async function authenticateBy<User extends EditorUser>(
  authenticate: (context: RequestContext) => User | null | Promise<User | null>,
  context: RequestContext,
): Promise<User | null> {
  const user = (await authenticate(context)) ?? null
  if (user !== null) toUserId(user.id)
  return user
}

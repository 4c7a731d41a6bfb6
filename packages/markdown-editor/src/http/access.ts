import type { GateParts } from '@quillgate/server'
import { serverError, toUserId } from '@quillgate/server/core'
import {
  type Access,
  type ClientAssets,
  createDefineEndpoint,
  type DefineEndpoint,
  hasBearer,
  type Rate,
  type RequestContext,
  requireCsrf,
} from '@quillgate/server/http'
import { STORAGE_ERRORS } from '@quillgate/storage'
import { EDITOR_ERRORS, type MarkdownEditorErrorCode } from '../errors.ts'
import type { Finalized } from '../media/finalize.ts'
import {
  anonymousOwner,
  type EditorUser,
  type Principal,
  userOwner,
} from '../media/ledger/principal.ts'
import type { MediaServices } from '../media/services.ts'
import type { IncomingFile } from '../media/upload/check-type.ts'
import type { ReceivedUpload } from '../media/upload/receive-upload.ts'
import type { EditorConfiguration } from '../options.ts'

/** The services that the endpoints use. */
export interface RouteDependencies
  extends Pick<GateParts, 'cors' | 'csrf' | 'limiter' | 'network'>,
    Pick<MediaServices, 'settings' | 'storage' | 'urls'>,
    Pick<EditorConfiguration, 'authorize' | 'basePath' | 'delivery'> {
  readonly identify: GateParts['components']['identify']
  authenticate(context: RequestContext): Promise<EditorUser | null>
  readonly ledger: Pick<MediaServices['ledger'], 'get'>
  receive(file: IncomingFile, principal: Principal): Promise<ReceivedUpload>
  finalize(text: string, principal: Principal): Promise<Finalized>
  readonly assets: ClientAssets
  /** Resolves when database and storage are ready. Requests, except for assets, wait for it. */
  ready(): Promise<void>
  /** Called with unexpected errors, for the log. Clients do not get their details. */
  onUnexpected(error: unknown): void
}

/** Defines an endpoint of the markdown editor. */
export const defineEndpoint: DefineEndpoint<MarkdownEditorErrorCode> = createDefineEndpoint(
  'markdown-editor',
  { ...STORAGE_ERRORS, ...EDITOR_ERRORS },
)

/** Returns the signed-in user of a request, or null. Throws 500 `invalid_user` for a wrong id. */
export async function userOf(
  { authenticate }: Pick<EditorConfiguration, 'authenticate'>,
  identify: RouteDependencies['identify'],
  context: RequestContext,
): Promise<EditorUser | null> {
  if (!authenticate) return (await identify(context))?.user ?? null
  const user = (await authenticate(context)) ?? null
  if (user !== null) toUserId(user.id)
  return user
}

/** Allows signed-in users. If `requireAuth` is false, also allows anonymous sessions. */
export function userOrSession(
  { authenticate, csrf, identify, settings }: RouteDependencies,
  purpose: string,
): Access<EditorUser | null> {
  return {
    async authenticate(context) {
      const user = await authenticate(context)
      if (user === null && settings.requireAuth)
        throw serverError('authentication_required', `Sign in to ${purpose}.`)
      return user
    },
    verifyCsrf: async (context, _user, readToken) =>
      requireCsrf(csrf, context, await identify(context), readToken),
  }
}

/**
 * Returns the owner of new files: the user, or the session whose cookie `verifyCsrf` has checked.
 * If there is neither, or a bearer token without a user, throws `authentication_required`.
 */
export function principalOf(
  { csrf }: RouteDependencies,
  context: RequestContext,
  user: EditorUser | null,
): Principal {
  if (user) return { owner: userOwner(user.id), user }
  const session = hasBearer(context.request) ? null : csrf.session(context)
  if (!session)
    throw serverError(
      'authentication_required',
      'Sign in, or send the request from a page that has an anonymous session.',
    )
  return { owner: anonymousOwner(session), user }
}

/**
 * Counts requests by user. Anonymous requests are counted by address, because it is easy to create
 * many anonymous sessions.
 */
export async function consumeRate(
  deps: RouteDependencies,
  what: 'upload' | 'finalize',
  rate: Rate | null,
  context: RequestContext,
  caller: EditorUser | null,
): Promise<void> {
  const { owner, user } = principalOf(deps, context, caller)
  if (user) return deps.limiter.consume(`${what}:${owner}`, rate)
  const shared = deps.network.addressLimit(context, rate)
  return deps.limiter.consume(`${what}:address:${shared.key}`, shared.rate)
}

import type { MediaUrls } from '@quillgate/markdown/media-urls'
import { serverError } from '@quillgate/server/core'
import {
  type Access,
  type ClientAssets,
  type CorsOptions,
  type Csrf,
  createDefineEndpoint,
  type DefineEndpoint,
  hasBearer,
  type Identity,
  type Network,
  type Rate,
  type RateLimiter,
  type RequestContext,
  requireCsrf,
} from '@quillgate/server/http'
import { STORAGE_ERRORS, type Storage } from '@quillgate/storage'
import { EDITOR_ERRORS, type MarkdownEditorErrorCode } from '../errors.ts'
import type { Finalized } from '../media/finalize.ts'
import type { MediaLedger } from '../media/ledger/media-ledger.ts'
import type { Medium } from '../media/ledger/medium.ts'
import {
  anonymousOwner,
  type EditorUser,
  type Principal,
  userOwner,
} from '../media/ledger/principal.ts'
import type { Uploads } from '../media/upload/uploads.ts'
import type { Settings } from '../settings.ts'

/** The collaborators of the endpoints. */
export interface RouteDependencies {
  /** Path of the endpoints without a final slash: `/md-editor`. */
  readonly basePath: string
  readonly settings: Pick<
    Settings,
    'mediaUrl' | 'maxUploadSize' | 'requireAuth' | 'uploadRateLimit'
  >
  /** Returns the signed-in user of a request, or null. @throws QuillgateError 500 `invalid_user` */
  authenticate(context: RequestContext): Promise<EditorUser | null>
  /** Returns the user to whom CSRF tokens are bound, or null. */
  identify(context: RequestContext): Promise<Identity | null>
  readonly csrf: Csrf
  readonly network: Pick<Network, 'addressLimit'>
  readonly limiter: Pick<RateLimiter, 'consume'>
  readonly uploads: Pick<Uploads, 'receive'>
  finalize(text: string, principal: Principal): Promise<Finalized>
  readonly ledger: Pick<MediaLedger, 'get'>
  readonly storage: Pick<Storage, 'read' | 'stat' | 'signedUrl'>
  /** `redirect`: browsers get permanent files from the storage itself. */
  readonly delivery: 'stream' | 'redirect'
  readonly urls: Pick<MediaUrls, 'parse' | 'build'>
  /** Whether a user may see a file. If it is given, no file is kept in a shared cache. */
  authorize?(user: EditorUser | null, medium: Medium): boolean | Promise<boolean>
  readonly assets: ClientAssets
  /** @default other origins may read nothing */
  readonly cors?: CorsOptions | undefined
  /** Resolves when the database and the storage can be used; the first request waits for it. */
  ready(): Promise<void>
  /** Called with unexpected errors. The client gets a plain 500 or 503. */
  onUnexpected(error: unknown): void
}

/** Defines an endpoint of the markdown editor. */
export const defineEndpoint: DefineEndpoint<MarkdownEditorErrorCode> = createDefineEndpoint(
  'markdown-editor',
  { ...STORAGE_ERRORS, ...EDITOR_ERRORS },
)

/**
 * A user of the application, or an anonymous session if the settings allow it. The CSRF token is
 * needed without a bearer token.
 *
 * @param purpose completes "Sign in to …", for example `upload files`
 */
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
 * Returns the owner of new files: the user, or the anonymous session whose cookie `verifyCsrf` has
 * checked.
 *
 * @throws QuillgateError 401 `authentication_required` when there is neither: a bad bearer token
 * (its cookies do not count), or CSRF protection of the application's own, which has no sessions
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
      'Sign in, or send this from a page with an anonymous session.',
    )
  return { owner: anonymousOwner(session), user }
}

/** Counts one request of a user. Anonymous sessions cost nothing, so there the address counts. */
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

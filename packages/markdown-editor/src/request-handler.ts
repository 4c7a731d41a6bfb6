import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type { GateParts } from '@quillgate/server'
import { toUserId } from '@quillgate/server/core'
import type { ClientAssets, RequestContext } from '@quillgate/server/http'
import type { ComposedMedia } from './compose-media.ts'
import type { EditorUser } from './http/dependencies.ts'
import { createFetchHandler, type EditorEndpoints } from './http/routes.ts'
import type { Uploads } from './media/upload/uploads.ts'
import type { EditorConfiguration } from './options.ts'
import type { Settings } from './settings.ts'

/** What the endpoints need beside the application's options. */
export interface RequestParts<User> extends Pick<ComposedMedia<User>, 'ledger' | 'finalize'> {
  readonly assets: ClientAssets
  readonly basePath: string
  readonly onUnexpected: (error: unknown) => void
  readonly ready: () => Promise<void>
  readonly settings: Settings
  readonly uploads: Uploads
  readonly urls: MediaUrls
}

/** Composes the endpoints. */
export function createRequestHandler<User extends EditorUser>(
  options: EditorConfiguration<User>,
  { cors, csrf, identify, limiter, network }: GateParts,
  { finalize, ...parts }: RequestParts<User>,
): EditorEndpoints {
  const { storage, authorize, delivery } = options
  // The only users that the endpoints know are those of `authenticate`.
  const own = (user: EditorUser | null): User | null => user as User | null
  return createFetchHandler({
    ...parts,
    ...{ cors, csrf, delivery, identify, limiter, network, storage },
    async authenticate(context) {
      if (!options.authenticate) return (await identify(context))?.user ?? null
      return authenticateBy(options.authenticate, context)
    },
    finalize: (text, { owner, user }) => finalize(text, { owner, user: own(user) }),
    ...(authorize ? { authorize: (user, medium) => authorize(own(user), medium) } : {}),
  })
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

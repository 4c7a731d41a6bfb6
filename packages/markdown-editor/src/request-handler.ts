import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type { Logger } from '@quillgate/server/core'
import {
  type ClientAssets,
  createCsrf,
  createRateLimiter,
  type Network,
  networkOptionsOf,
} from '@quillgate/server/http'
import type { ComposedMedia } from './compose-media.ts'
import { createFetchHandler, type EditorEndpoints, type EditorUser } from './http/index.ts'
import type { Uploads } from './media/upload/index.ts'
import type { EditorConfiguration } from './options.ts'
import type { Settings } from './settings.ts'

/** What the endpoints need beside the application's options. */
export interface RequestParts<User> extends Pick<ComposedMedia<User>, 'ledger' | 'finalize'> {
  readonly assets: ClientAssets
  readonly basePath: string
  readonly clock: () => number
  readonly logger: Logger
  readonly network: Network
  readonly onUnexpected: (error: unknown) => void
  readonly ready: () => Promise<void>
  readonly settings: Settings
  readonly uploads: Uploads
  readonly urls: MediaUrls
}

/**
 * Puts the endpoints together.
 * @throws ConfigurationError for a bad secret
 */
export function createRequestHandler<User extends EditorUser>(
  options: EditorConfiguration<User>,
  parts: RequestParts<User>,
): EditorEndpoints {
  const { storage, authorize, cors, secret } = options
  const {
    assets,
    basePath,
    clock,
    ledger,
    logger,
    network,
    onUnexpected,
    ready,
    settings,
    uploads,
    urls,
  } = parts
  // The only users that the endpoints know are those that `authenticate` gave them.
  const own = (user: EditorUser | null): User | null => user as User | null
  return createFetchHandler({
    ...{
      assets,
      basePath,
      cors,
      ledger,
      network,
      onUnexpected,
      ready,
      settings,
      storage,
      uploads,
      urls,
    },
    delivery: options.delivery,
    authenticate: (context) => options.authenticate(context),
    csrf: options.csrf ?? createCsrf({ secret, logger, ...networkOptionsOf(options) }),
    limiter: options.rateLimiter ?? createRateLimiter({ clock }),
    finalize: (text, { owner, user }) => parts.finalize(text, { owner, user: own(user) }),
    ...(authorize ? { authorize: (user, medium) => authorize(own(user), medium) } : {}),
  })
}

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClientAssets,
  createCsrf,
  createRateLimiter,
  type FetchHandler,
  type Logger,
  type Network,
} from '@quillgate/http'
import type { ComposedMedia } from './compose-media.ts'
import { createFetchHandler, type EditorUser } from './http/index.ts'
import type { BackgroundSweep } from './media/sweep/background-sweep.ts'
import { createUploads, type UploadHandler, type Uploads } from './media/upload/index.ts'
import type { MarkdownEditorOptions } from './options.ts'
import type { Settings } from './settings.ts'
import { createMediaId } from './text/media-id.ts'
import type { MediaUrls } from './text/media-url.ts'

/** What the endpoints need beside the application's options. */
export interface RequestParts<User> extends Pick<ComposedMedia<User>, 'ledger' | 'finalize' | 'background'> {
  readonly assets: ClientAssets
  readonly basePath: string
  readonly clock: () => number
  readonly handler: UploadHandler
  readonly logger: Logger
  readonly network: Network
  readonly ready: () => Promise<void>
  readonly settings: Settings
  readonly urls: MediaUrls
}

/**
 * Puts the endpoints together.
 * @throws ConfigurationError for a bad secret
 */
export function createRequestHandler<User extends EditorUser>(
  options: MarkdownEditorOptions<User>,
  parts: RequestParts<User>,
): FetchHandler {
  const { storage, authorize, cors, scan, transform, secret, publicOrigin, trustedProxies } = options
  const { assets, background, basePath, clock, handler, ledger, logger, network, ready, settings, urls } = parts
  // The only users that the endpoints know are those that `authenticate` gave them.
  const own = (user: EditorUser | null): User | null => user as User | null
  const onUnexpected = (error: unknown): void => logger.error('The markdown editor met an unexpected error.', error)
  return createFetchHandler({
    ...{ assets, basePath, cors, ledger, network, onUnexpected, ready, settings, storage, urls },
    delivery: options.delivery ?? 'stream',
    authenticate: (context) => options.authenticate(context),
    csrf:
      options.csrf ??
      createCsrf({
        secret,
        logger,
        ...(publicOrigin === undefined ? {} : { publicOrigin }),
        ...(trustedProxies === undefined ? {} : { trustedProxies }),
      }),
    limiter: options.rateLimiter ?? createRateLimiter({ clock }),
    uploads: withSweep(
      createUploads({
        ...{ settings, storage, ledger, handler, clock, onUnexpected },
        buildUrl: urls.build,
        createId: () => createMediaId(randomBytes),
        ...(scan ? { scan } : {}),
        ...(transform ? { transform } : {}),
      }),
      background,
    ),
    finalize: (text, { owner, user }) => parts.finalize(text, { owner, user: own(user) }),
    ...(authorize ? { authorize: (user, medium) => authorize(own(user), medium) } : {}),
  })
}

/** Milliseconds for which an answer waits for files that are being swept; they are swept all the same. */
const LONGEST_WAIT = 1000

/** While a file streams in there is time to sweep a little. */
function withSweep(uploads: Uploads, background: Pick<BackgroundSweep, 'sweepSome'>): Uploads {
  return {
    async receive(file, uploader) {
      const swept = background.sweepSome()
      const upload = await uploads.receive(file, uploader)
      return {
        discard: () => upload.discard(),
        async accept() {
          const answer = await upload.accept()
          await Promise.race([swept, sleep(LONGEST_WAIT, undefined, { ref: false })])
          return answer
        },
      }
    },
  }
}

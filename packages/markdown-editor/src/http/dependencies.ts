import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type {
  ClientAssets,
  CorsOptions,
  Csrf,
  Identity,
  Network,
  RateLimiter,
  RequestContext,
} from '@quillgate/server/http'
import type { Storage } from '@quillgate/storage'
import type { Finalized } from '../media/finalize.ts'
import type { MediaLedger } from '../media/ledger/media-ledger.ts'
import type { Medium } from '../media/ledger/medium.ts'
import type { EditorUser, Principal } from '../media/ledger/principal.ts'
import type { Uploads } from '../media/upload/uploads.ts'
import type { Settings } from '../settings.ts'

/** All that the endpoints need; the composition root gathers it. */
export interface RouteDependencies {
  /** Path under which the endpoints are, without a final slash: `/md-editor`. */
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
  readonly uploads: Uploads
  /**
   * Promotes the temporary files that a text references and that the requester may finalize.
   *
   * @throws QuillgateError 413 `text_too_large`
   */
  finalize(text: string, principal: Principal): Promise<Finalized>
  readonly ledger: Pick<MediaLedger, 'get'>
  readonly storage: Pick<Storage, 'read' | 'stat' | 'signedUrl'>
  /** `redirect`: browsers get permanent files from the storage itself. */
  readonly delivery: 'stream' | 'redirect'
  /** Reads the path of a request, and builds the URLs of redirects. */
  readonly urls: Pick<MediaUrls, 'parse' | 'build'>
  /**
   * The application's say in who sees a file; when it is there, no file is kept in a shared cache.
   */
  authorize?(user: EditorUser | null, medium: Medium): boolean | Promise<boolean>
  readonly assets: ClientAssets
  /** @default other origins may read nothing */
  readonly cors?: CorsOptions | undefined
  /** Resolves when the database and the storage can be used; the first request waits for it. */
  ready?(): Promise<void>
  /** Called with unexpected errors. The client gets a plain 500 or 503. */
  onUnexpected?(error: unknown): void
}

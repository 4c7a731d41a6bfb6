import type { Logger } from '@quillgate/server/core'
import type { DatabaseSource } from '@quillgate/server/database'
import type {
  CorsOptions,
  CsrfVerifier,
  ProxyHeader,
  RateLimiter,
  RequestContext,
} from '@quillgate/server/http'
import type { EditorUser } from './http/index.ts'
import type { Medium } from './media/ledger/medium.ts'
import type { RecordKey, RecordTexts } from './media/record-texts.ts'
import type { RecordEntries } from './media/references/media-references.ts'
import type { Scan, TransformUpload, UploadHandler } from './media/upload/index.ts'
import type { BaseRenderer } from './rendering/index.ts'
import type { SettingsInput } from './settings.ts'
import type { Storage } from './storage/storage.ts'

/** Options of `createMarkdownEditor`. */
export interface MarkdownEditorOptions<User extends EditorUser = EditorUser> {
  /** At least 32 bytes; several, newest first, while one replaces another. */
  readonly secret: string | readonly string[]
  /** Of the ledger: `sqlite:./file`, `postgres://…`, `mysql://…` (MariaDB), or a Kysely instance of the application. */
  readonly database: DatabaseSource
  /** Where the bytes live, for example `localFiles({ directory: './data/media' })`. */
  readonly storage: Storage
  /**
   * Who made a request; null when nobody is signed in. Beside `Authorization: Bearer` or `DPoP` the request has no
   * cookies, so that a bad token never falls back to them.
   */
  authenticate(context: RequestContext): User | null | Promise<User | null>
  /** What differs from the defaults. */
  readonly settings?: SettingsInput
  /** Path of the endpoints; the defaults of `uploadUrl` and `finalizeUrl` move with it. @default '/md-editor' */
  readonly basePath?: string
  /** The origin that browsers see, for example `https://example.com`. @default what each request says */
  readonly publicOrigin?: string
  /**
   * Addresses and CIDR ranges of the proxies whose headers count; `'unix'` for Unix sockets.
   * @default the framework's own configuration (`trust proxy` of Express), else nobody
   */
  readonly trustedProxies?: readonly string[]
  /** The header in which these proxies write the client's address; the other one is ignored. @default 'x-forwarded-for' */
  readonly proxyHeader?: ProxyHeader
  /**
   * Which other origins may call the endpoints from a browser: `{ origins: ['https://app.example.com'] }`. For clients
   * with bearer tokens: what is authenticated by cookies still needs our own origin. @default none
   */
  readonly cors?: CorsOptions
  /**
   * What the application makes its tokens with: one `createCsrf` for the application and both components, or a
   * protection of its own, which needs `session` too where anonymous visitors may upload.
   * @default `createCsrf` with the same secret
   */
  readonly csrf?: CsrfVerifier
  /** Counts uploads, for example in Redis for several nodes. @default in memory */
  readonly rateLimiter?: RateLimiter
  /** Turns markdown into HTML. @default a `DefaultRenderer` with the settings' `embedHosts` and `highlightLanguages` */
  readonly renderer?: BaseRenderer
  /** Checks uploads, and may store them elsewhere. @default a `DefaultUploadHandler` */
  readonly uploadHandler?: UploadHandler
  /** Who may see a file; without it everybody who knows its unguessable URL. */
  authorize?(user: User | null, medium: Medium): boolean | Promise<boolean>
  /**
   * How permanent files reach browsers: through the application (`stream`), or by a redirect to a URL of the storage
   * that is signed for a short time (`redirect`; the storage needs `signedUrl`). `authorize` decides first, and
   * temporary files are always streamed.
   * @default 'stream'
   */
  readonly delivery?: 'stream' | 'redirect'
  /** Who may finalize a temporary file of somebody else. @default nobody */
  canFinalize?(user: User, medium: Medium): boolean | Promise<boolean>
  /**
   * Who, beside its owner, decides on the life of a file: what they save counts as saved, brings orphans back, and may
   * be deleted by `deleteOrphanedMedia`. Called inside the record's transaction: ask no database that could wait for
   * it.
   * @default nobody
   */
  canManage?(user: User, medium: Medium): boolean | Promise<boolean>
  /** Looks at each uploaded file, such as a virus scanner: it may refuse it, or hold it back; see {@link Scan}. */
  readonly scan?: Scan
  /**
   * Makes another file of each before it is stored, such as a smaller image: `resizeImages`; see
   * {@link TransformUpload}.
   */
  readonly transform?: TransformUpload
  /**
   * Hears of each file that has become permanent, once; not at all when the process is killed just then. The request
   * waits for it; what it throws is logged.
   */
  onFinalized?(medium: Medium): void | Promise<void>
  /**
   * Hears of each file whose bytes are gone, with reason and actor: at least once, for when the process is killed just
   * then, the sweep says it again. What it throws is logged.
   */
  onDeleted?(medium: Medium): void | Promise<void>
  /**
   * The application's records, for `markdown-editor reindex`. It also tells the sweep that saves are followed by
   * `references.set`, so that files which no record ever referenced may go from the first day.
   */
  readonly records?: RecordSource
  /**
   * `separate`: the records are not in the ledger's database, so that one transaction cannot hold both. Saves are then
   * announced by `references.intend` (the ORM adapters do it by themselves); needs `records.load` and an `orphanGrace`.
   * @default 'same'
   */
  readonly recordsDatabase?: 'same' | 'separate'
  /**
   * True for an application that had records before Quillgate: until `references.rebuild` has run once, nothing is
   * deleted, only reported.
   * @default false
   */
  readonly existingRecords?: boolean
  /** False: `ready()` creates no tables; apply `mediaMigrations` yourself. @default true */
  readonly migrate?: boolean
  /** What the table names begin with. @default 'quillgate_' */
  readonly prefix?: string
  /** Hears of what went wrong without failing a request. @default console */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

/** Reads the application's records. */
export interface RecordSource {
  /**
   * Every record that has markdown, with all its texts, one after the other: `{ type: 'post', id: 7, texts: { body } }`, in
   * the shape in which they are saved. A generator reads them as they come; a list holds them all in memory.
   */
  all(): RecordEntries
  /**
   * The committed texts of one record, all of them, by field or not as `references.set` gets them; null: there is no
   * such record. It reads the primary database, never a replica that may lag behind. Needed where `recordsDatabase` is
   * `separate`.
   */
  load?(record: RecordKey): RecordTexts | Promise<RecordTexts>
}

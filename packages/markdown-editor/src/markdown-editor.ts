import {
  type BaseRenderer,
  DefaultRenderer,
  isMarkdownItInstalled,
  MarkdownRenderer,
} from '@quillgate/markdown'
import { createMediaUrls } from '@quillgate/markdown/media-urls'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { checkGate, type Quillgate } from '@quillgate/server'
import {
  ConfigurationError,
  createReady,
  getSetting,
  type Logger,
  parse,
  type QuillgateError,
  unknownEndpoint,
} from '@quillgate/server/core'
import { checkServer, migrate } from '@quillgate/server/database'
import type { OpenApiDocument } from '@quillgate/server/http'
import type { Storage } from '@quillgate/storage'
import {
  actorOptions,
  checkTarget,
  cleanupOptions,
  listOptions,
  ownerOption,
  saveOptions,
} from './call-options.ts'
import { assetBaseOf, clientAssets } from './client-assets.ts'
import { composeMedia } from './compose-media.ts'
import { composeUploads } from './compose-uploads.ts'
import { editorError } from './errors.ts'
import type { EditorUser } from './http/dependencies.ts'
import { CHECK_OPTIONS, type CheckOptions, type CheckReport } from './media/check.ts'
import type { Cleanup } from './media/cleanup.ts'
import type { CopyOptions, CopyReport } from './media/copy/copy-media.ts'
import type { Finalized } from './media/finalize.ts'
import type { MediaList, MediaListOptions } from './media/ledger/media-list.ts'
import type { Medium } from './media/ledger/medium.ts'
import { anonymousOwner, type Owner, parseOwner } from './media/ledger/principal.ts'
import { mediaMigrations } from './media/ledger/schema.ts'
import type { Quarantine } from './media/quarantine.ts'
import type { MediaReferences } from './media/references/media-references.ts'
import { SWEEP_OPTIONS, type SweepOptions } from './media/sweep/sweep.ts'
import type { SweepReport } from './media/sweep/sweep-report.ts'
import { createAddMedia, type FileToAdd } from './media/upload/add-media.ts'
import { DefaultUploadHandler } from './media/upload/upload-handler.ts'
import { type MarkdownEditorOptions, type RecordSource, resolveOptions } from './options.ts'
import { authenticateBy, createRequestHandler } from './request-handler.ts'
import type { SettingName, Settings } from './settings.ts'
import {
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
  type WidgetDefaults,
  type WidgetSource,
} from './widget/index.ts'

/** Endpoints by name, with or without their namespace. */
export type EndpointName =
  | 'upload'
  | 'finalize'
  | 'web_markdown_widget:upload'
  | 'web_markdown_widget:finalize'

/** The files of the editor, for the application's own pages and jobs. */
export interface EditorMedia<User extends EditorUser = EditorUser>
  extends Pick<Cleanup, 'remove' | 'restore'>,
    Quarantine {
  /**
   * Stores a file of server code, such as a mail gateway or an import, exactly as an upload of this owner: the same
   * checks, cleaning, quota and upload handler; only `uploadRateLimit` does not count. The file is temporary until
   * `editor.finalize(text, { owner })` finalizes a text that references its URL. What fails leaves nothing behind.
   *
   * @throws QuillgateError as an upload does: `unsupported_media_type` (415), `file_too_large` and `quota_exceeded`
   * (413), `empty_file` (400), `validation_error` (422), `storage_failed` (503); `invalid_request` (400) for a file and
   * `invalid_user` (500) for an owner that cannot be; what reading the stream throws
   * @example
   * const { url, name } = await editor.media.add(new File([bytes], 'photo.png', { type: 'image/png' }), { owner: user })
   * const { text } = await editor.finalize(`![${name}](${url})`, { owner: user })
   */
  add(file: FileToAdd, options: FinalizeFor<User>): Promise<UploadResponse>
  /**
   * Lists files, the newest first: with `state: 'orphaned'` the trash.
   *
   * @throws QuillgateError `invalid_request` (400) for a limit or cursor that cannot be
   */
  list(options?: MediaListOptions): Promise<MediaList>
  /** All that is known of a file, in any state; null when there never was one. */
  get(id: string): Promise<Medium | null>
}

/** For whom a text is finalized, or a file stored. */
export interface FinalizeFor<User extends EditorUser = EditorUser> {
  readonly owner: Owner<User>
}

/**
 * The markdown editor of an application. All calls wait for `gate.ready()` by themselves, except for saves in a
 * transaction of the application.
 */
export interface MarkdownEditor<User extends EditorUser = EditorUser> {
  /** The application object that it belongs to. */
  readonly gate: Quillgate
  /** A form field. @throws ConfigurationError for options that cannot be */
  widget(options?: Omit<MarkdownEditorWidgetOptions, 'editor'>): MarkdownEditorWidget
  /** The defaults of widgets, from the settings; read by `new MarkdownEditorWidget({ editor })`. */
  readonly widgetDefaults: WidgetDefaults
  /** Turns markdown into safe HTML. */
  readonly renderer: BaseRenderer
  /**
   * Promotes the temporary files that a text references and rewrites their URLs: for servers that finalize on save
   * themselves. Sent again, or twice at once, it gives the same.
   *
   * @param options.owner the signed-in user, or `{ session }` of an anonymous one: only files of this owner are
   * promoted, and those that `canManage` gives the user
   * @throws QuillgateError `invalid_request` (400), `text_too_large` (413), `invalid_user` (500) for anything else as
   * an owner; nothing in a text ever throws
   * @example
   * const { text } = await editor.finalize(form.body, { owner: user })
   */
  finalize(text: string, options: FinalizeFor<User>): Promise<Finalized>
  /** See {@link Cleanup.deleteOrphanedMedia}. */
  readonly deleteOrphanedMedia: Cleanup<User>['deleteOrphanedMedia']
  readonly references: MediaReferences<User>
  readonly media: EditorMedia<User>
  /**
   * Gives a user what the browser uploaded before the sign-in. Call it after the sign-in, also after `devices.login`.
   *
   * @param request of the framework, such as the `req` of Express, or a web `Request`
   * @returns the number of files
   */
  claim(request: unknown, user: EditorUser): Promise<number>
  /** Deletes what has outlived its time and completes what was broken off. Safe to run twice at once. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /** Compares ledger and storage; changes nothing but strays, where `deleteStrays` asks for it. */
  check(options?: CheckOptions): Promise<CheckReport>
  /**
   * Copies all media to another storage, checked against the ledger; no URL changes. It can be ended and run again,
   * also while this editor is used: what is there already is left. When it is complete, give the editor the other
   * storage.
   *
   * @throws ConfigurationError for options that cannot be; QuillgateError `same_storage` when it is the present storage
   * by another name, `storage_failed` when nothing works
   * @example
   * const { complete } = await editor.copyTo(localFiles('/mnt/media'))
   */
  copyTo(target: Storage, options?: CopyOptions): Promise<CopyReport>
  /** Describes the endpoints as an OpenAPI 3.1 document. */
  openApi(): OpenApiDocument
  /** The path of an endpoint, for example `editor.url('upload')`. */
  url(name: EndpointName): string
  /** The value of a setting. @throws UnknownSettingError */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
  /** The option `records`, for the command line. */
  readonly records: RecordSource | null
}

const NAMESPACE = 'web_markdown_widget:'
const NO_MARKDOWN_IT =
  'quillgate: the package markdown-it is not installed, so pages and previews show texts as they are written. ' +
  'Run "npm install markdown-it", or give the option renderer.'
const ENDPOINTS: readonly string[] = ['upload', 'finalize']

/**
 * Creates the markdown editor. It connects with the first request, or with `await gate.ready()`.
 *
 * @param gate the application object
 * @throws ConfigurationError that names the option or setting that is wrong
 * @example
 * const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
 * const editor = createMarkdownEditor(gate, {
 *   storage: localFiles('./data/media'),
 *   authenticate: ({ request }) => userOf(request),
 * })
 */
export function createMarkdownEditor<User extends EditorUser>(
  gate: Quillgate,
  input: MarkdownEditorOptions<User>,
): MarkdownEditor<User> {
  checkGate(gate, 'createMarkdownEditor')
  const options = resolveOptions(input)
  const { clock, contexts, csrf, database, logger, prefix, publicOrigin } = gate.parts
  const { authenticate, basePath, settings, storage } = options
  const { canManage, onDeleted } = options
  const urls = createMediaUrls({
    ...settings,
    tempPath: settings.tempUploadPath,
    ...(publicOrigin === undefined ? {} : { publicOrigin }),
  })
  const handler = options.uploadHandler ?? new DefaultUploadHandler()
  const media = composeMedia<User>({
    ...{ database, prefix, storage, urls, handler, settings, clock, logger },
    existingRecords: options.existingRecords,
    tracksReferences: options.records !== undefined,
    // The only users that it knows are those that the application gives as actors.
    ...(canManage ? { canManage: (user, medium) => canManage(user as User, medium) } : {}),
    ...(onDeleted ? { onDeleted } : {}),
  })
  const { ledger, cleanup } = media
  if (lacksMarkdownIt(options.renderer)) logger.warn(NO_MARKDOWN_IT)

  const ready = createReady(async () => {
    if (settings.requireAuth && !authenticate && !gate.parts.canIdentify()) throw noAuthentication()
    if (gate.parts.migrate) await migrate(database, mediaMigrations, { prefix })
    else await checkServer(database)
    await media.installation.prepare()
    media.background.start()
  })
  const whenReady =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await ready()
      return work(...args)
    }
  const write: MediaReferences['set'] = async (record, texts, options) => {
    // While the record's transaction is open, creating tables over a connection of our own could wait for it for ever.
    if (options?.tx && !ready.isDone()) throw notReady()
    if (!options?.tx) await ready()
    return media.references.set(record, texts, options)
  }
  const onUnexpected = (error: unknown): void =>
    logger.error('The markdown editor met an unexpected error.', error)
  const uploads = composeUploads(options, {
    ...media,
    clock,
    handler,
    onUnexpected,
    settings,
    urls,
  })
  const { openApi, ...endpoints } = createRequestHandler(options, gate.parts, {
    ...{ assets: clientAssets, basePath, finalize: media.finalize, ledger, onUnexpected, ready },
    ...{ settings, uploads, urls },
  })
  gate.parts.register({
    name: 'markdown-editor',
    ...endpoints,
    ready,
    async close() {
      await ready.settled()
      await media.background.stop()
      await storage.close?.()
    },
    ...(authenticate
      ? {
          async authenticate(context) {
            const user = await authenticateBy(authenticate, context)
            return user && { user, isBearer: false }
          },
        }
      : {}),
  })
  const addMedia = createAddMedia({ uploads, maxUploadSize: settings.maxUploadSize })
  // Made when it is needed: a sweep, or a node that only takes uploads, does without parser and highlighter.
  let renderer = options.renderer
  const getRenderer = (): BaseRenderer => {
    renderer ??= createRenderer(logger)
    return renderer
  }

  const source: WidgetSource = {
    get widgetDefaults() {
      return widgetDefaultsOf(settings, basePath, getRenderer())
    },
  }

  const editor: MarkdownEditor<User> = {
    gate,
    openApi,
    widget: (widgetOptions) => new MarkdownEditorWidget({ ...widgetOptions, editor: source }),
    get widgetDefaults() {
      return source.widgetDefaults
    },
    get renderer() {
      return getRenderer()
    },
    finalize: whenReady((text, options) =>
      media.finalize(text, ownerOption<User>('finalize', options)),
    ),
    deleteOrphanedMedia: whenReady((before, after, options) =>
      cleanup.deleteOrphanedMedia(before, after, cleanupOptions(options)),
    ),
    references: {
      set: async (record, texts, options) =>
        write(record, texts, saveOptions('references.set', options)),
      remove: async (record, options) =>
        write(record, [], saveOptions('references.remove', options)),
      settle: whenReady((ids, by) =>
        media.references.settle(ids, actorOptions('references.settle', by)),
      ),
      rebuild: whenReady(media.references.rebuild),
    },
    media: {
      add: whenReady((file, options) => addMedia(file, ownerOption<User>('media.add', options))),
      get: whenReady(ledger.get),
      list: whenReady((options) => media.list(listOptions(options))),
      release: whenReady(media.quarantine.release),
      reject: whenReady((id, by) => media.quarantine.reject(id, actorOptions('media.reject', by))),
      remove: whenReady((id, by) => cleanup.remove(id, actorOptions('media.remove', by))),
      restore: whenReady(cleanup.restore),
    },
    async claim(request, user) {
      const context = contexts.of(request, 'claim')
      const session = context.state.csrf?.previous ?? csrf.session(context)
      const { owner } = parseOwner(user)
      await ready()
      return session === null ? 0 : ledger.changeOwner(anonymousOwner(session), owner)
    },
    sweep: whenReady((options = {}) => media.sweep(parse(SWEEP_OPTIONS, options, 'sweep'))),
    check: whenReady((options = {}) => media.check(parse(CHECK_OPTIONS, options, 'check'))),
    copyTo: whenReady((target, options) => {
      checkTarget(target)
      return media.copyTo(target, options)
    }),
    url: (name) => urlOf(name, basePath),
    getSetting: (key) => getSetting(settings, key),
    records: options.records ?? null,
  }
  return editor
}

function noAuthentication(): ConfigurationError {
  const problem =
    'is required, because there are no trusted devices on this application object that say who is signed in. With the ' +
    'setting requireAuth: false, visitors may upload without it'
  return new ConfigurationError('authenticate', problem)
}

function notReady(): QuillgateError {
  return editorError(
    'not_ready',
    'Await gate.ready() at start-up, before the first record is saved.',
  )
}

/** Whether texts are shown as they are written because markdown-it is not installed. */
function lacksMarkdownIt(renderer: BaseRenderer | undefined): boolean {
  const isOurs =
    renderer === undefined ||
    (renderer instanceof DefaultRenderer && renderer.previewOptions.markdownIt === null)
  return isOurs && !isMarkdownItInstalled()
}

function createRenderer(logger: Logger): DefaultRenderer {
  return new DefaultRenderer({
    onFinding: ({ reason, html, position, line }) => {
      const excerpt = html.slice(position, position + 100)
      logger.error(
        'quillgate: rendered HTML has what its policy does not list; readers see it as text.',
        {
          ...{ reason, excerpt, line },
        },
      )
    },
  })
}

function widgetDefaultsOf(
  settings: Settings,
  basePath: string,
  renderer: BaseRenderer,
): WidgetDefaults {
  const { toolbar, defaultHeight, placeholder, theme, allowedUploadTypes } = settings
  // The preview shows what the page will show; of a renderer that is not ours nobody knows what that is.
  const { embedHosts = null, ...others } =
    renderer instanceof MarkdownRenderer ? renderer.previewOptions : {}
  return {
    ...{ toolbar, placeholder, theme },
    uploadUrl: `${basePath}/upload`,
    finalizeUrl: `${basePath}/finalize`,
    height: defaultHeight,
    tempUrl: settings.mediaUrl + settings.tempUploadPath,
    tempMaxAge: settings.tempMaxAge,
    uploadTypes: allowedUploadTypes,
    maxUploadSize: settings.maxUploadSize,
    embedHosts,
    renderOptions: Object.keys(others).length === 0 ? null : others,
    previewDiffers: !isShownByPreview(renderer),
    highlightLanguages: renderer instanceof DefaultRenderer ? renderer.highlightLanguages : null,
    assetBase: assetBaseOf(basePath),
  }
}

/** Whether the built-in preview gives the same HTML: the renderer is ours, without plugins, and not extended. */
function isShownByPreview(renderer: BaseRenderer): boolean {
  const isOurs =
    renderer instanceof MarkdownRenderer && renderer.render === MarkdownRenderer.prototype.render
  return isOurs && !renderer.hasPlugins
}

function urlOf(name: EndpointName, basePath: string): string {
  const plain = name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name
  if (ENDPOINTS.includes(plain)) return `${basePath}/${plain}`
  throw unknownEndpoint(name, ENDPOINTS)
}

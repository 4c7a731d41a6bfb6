import { createMediaUrls } from '@quillgate/markdown/media-urls'
import { checkGate, type GateParts, type Quillgate } from '@quillgate/server'
import {
  ConfigurationError,
  checks,
  createReady,
  getSetting,
  optional,
  parse,
  type Ready,
  serverError,
  toUserId,
} from '@quillgate/server/core'
import { checkServer, migrate } from '@quillgate/server/database'
import type { Endpoints, RequestContext } from '@quillgate/server/http'
import { editorError } from './errors.ts'
import { createEditorEndpoints } from './http/endpoints.ts'
import type {
  EditorMedia,
  EndpointName,
  MarkdownEditor,
  MediaReferences,
} from './markdown-editor.ts'
import { check } from './media/check.ts'
import { deleteOrphanedMedia, removeFile, settle } from './media/cleanup.ts'
import { finalize } from './media/finalize.ts'
import { Installation } from './media/ledger/installation.ts'
import { createLedgerDatabase } from './media/ledger/ledger-database.ts'
import { MediaLedger } from './media/ledger/media-ledger.ts'
import { listMedia } from './media/ledger/media-list.ts'
import {
  anonymousOwner,
  type CanManage,
  type EditorUser,
  type Owner,
  type Principal,
  parseOwner,
} from './media/ledger/principal.ts'
import { mediaMigrations } from './media/ledger/schema.ts'
import { rebuildReferences, type SaveOptions, saveReferences } from './media/references.ts'
import type { MediaServices } from './media/services.ts'
import { BackgroundSweep } from './media/sweep/background-sweep.ts'
import { sweep } from './media/sweep/sweep.ts'
import { addMedia } from './media/upload/add-media.ts'
import { DefaultUploadHandler } from './media/upload/upload-handler.ts'
import { Uploads } from './media/upload/uploads.ts'
import { type EditorConfiguration, type MarkdownEditorOptions, resolveOptions } from './options.ts'
import type { Settings } from './settings.ts'
import { clientAssets } from './widget/assets.ts'
import { MarkdownEditorWidget } from './widget/markdown-editor-widget.ts'
import { createWidgetSource } from './widget/widget-defaults.ts'

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
  const { basePath, renderer, settings } = options
  const media = createServices(options, gate.parts)
  const background = createBackgroundSweep(media)
  const uploads = new Uploads({ ...media, whileUploading: () => background.sweepSome() })
  const ready = createReady(() => startUp(options, gate.parts, media, background))
  const endpoints = createEndpoints(options, gate.parts, media, uploads, ready)
  register(options, gate.parts, background, ready, endpoints)
  const widgets = createWidgetSource(renderer, settings, basePath, media.logger)

  return {
    gate,
    widget: (widgetOptions) => new MarkdownEditorWidget({ ...widgetOptions, editor: widgets }),
    get widgetDefaults() {
      return widgets.widgetDefaults
    },
    get renderer() {
      return widgets.renderer
    },
    ...afterStart<Pick<MarkdownEditor<User>, 'finalize' | 'claim'>>(ready, {
      finalize: (text, how) => finalize(media, text, ownerIn('finalize', how)),
      claim: (request, user) => claim(gate.parts, media, request, user),
    }),
    ...afterStart<Pick<MarkdownEditor<User>, 'deleteOrphanedMedia' | 'sweep' | 'check'>>(ready, {
      deleteOrphanedMedia: (before, after, how) => deleteOrphanedMedia(media, before, after, how),
      sweep: (how) => sweep(media, how),
      check: (how) => check(media, how),
    }),
    references: referencesOf(media, ready),
    media: afterStart<EditorMedia<User>>(ready, {
      add: (file, how) =>
        addMedia(uploads, settings.maxUploadSize, file, ownerIn('media.add', how)),
      get: (id) => media.ledger.get(id),
      list: (how) => listMedia(media.database, how),
      remove: (id, by) => removeFile(media, id, by),
      restore: (id) => media.ledger.restore(id, media.clock()),
    }),
    url: (name) => urlOf(name, basePath),
    getSetting: (key) => getSetting(settings, key),
  }
}

function createServices<User extends EditorUser>(
  { settings, storage, uploadHandler, canManage, onDeleted }: EditorConfiguration<User>,
  { database: connection, prefix, publicOrigin, clock, logger }: GateParts,
): MediaServices {
  const database = createLedgerDatabase(connection, prefix)
  const origin = publicOrigin === undefined ? {} : { publicOrigin }
  return {
    ...{ database, storage, settings, onDeleted, clock, logger },
    ledger: new MediaLedger(database),
    installation: new Installation(database, storage),
    urls: createMediaUrls({ ...settings, tempPath: settings.tempUploadPath, ...origin }),
    handler: uploadHandler ?? new DefaultUploadHandler(),
    // The users of actors are those that the application passes.
    canManage: canManage as CanManage | undefined,
  }
}

function createBackgroundSweep(media: MediaServices): BackgroundSweep {
  const { settings, clock, logger } = media
  return new BackgroundSweep({
    sweep: (how) => sweep(media, how),
    interval: settings.sweepInterval,
    pause: sweepPause(settings),
    clock,
    logger,
  })
}

/** Returns milliseconds in which nothing new can be due, at most a minute. */
function sweepPause({ tempMaxAge, unsavedGrace, orphanGrace }: Settings): number {
  return 1000 * Math.min(60, tempMaxAge, unsavedGrace ?? 60, orphanGrace || 60)
}

async function startUp<User extends EditorUser>(
  { settings, authenticate }: EditorConfiguration<User>,
  gate: GateParts,
  { installation }: MediaServices,
  background: BackgroundSweep,
): Promise<void> {
  if (settings.requireAuth && !authenticate && !gate.canIdentify()) throw noAuthentication()
  if (gate.migrate) await migrate(gate.database, mediaMigrations, { prefix: gate.prefix })
  else await checkServer(gate.database)
  await installation.prepare()
  background.start()
}

function createEndpoints<User extends EditorUser>(
  options: EditorConfiguration<User>,
  { cors, csrf, identify, limiter, network }: GateParts,
  media: MediaServices,
  uploads: Uploads,
  ready: Ready,
): Endpoints {
  const { authenticate, authorize, basePath, delivery, settings, storage } = options
  const { ledger, logger, urls } = media
  return createEditorEndpoints({
    ...{ assets: clientAssets, basePath, delivery, settings, storage },
    ...{ cors, csrf, identify, limiter, network, ledger, uploads, urls, ready },
    onUnexpected: (error) => logger.error('The markdown editor met an unexpected error.', error),
    async authenticate(context) {
      if (authenticate) return authenticateBy(authenticate, context)
      return (await identify(context))?.user ?? null
    },
    finalize: (text, principal) => finalize(media, text, principal),
    // The only users of the endpoints are those that `authenticate` returns.
    ...(authorize ? { authorize: (user, medium) => authorize(user as User | null, medium) } : {}),
  })
}

function register<User extends EditorUser>(
  { authenticate, storage }: EditorConfiguration<User>,
  gate: GateParts,
  background: BackgroundSweep,
  ready: Ready,
  endpoints: Endpoints,
): void {
  const identify = authenticate && {
    async authenticate(context: RequestContext) {
      const user = await authenticateBy(authenticate, context)
      return user && { user, isBearer: false }
    },
  }
  gate.register({
    name: 'markdown-editor',
    ...endpoints,
    ...identify,
    ready,
    async close() {
      await ready.settled()
      try {
        await background.stop()
      } finally {
        await storage.close?.()
      }
    },
  })
}

/** Asks the application who made a request. @throws QuillgateError 500 `invalid_user` */
export async function authenticateBy<User extends EditorUser>(
  authenticate: (context: RequestContext) => User | null | Promise<User | null>,
  context: RequestContext,
): Promise<User | null> {
  const user = (await authenticate(context)) ?? null
  if (user !== null) toUserId(user.id)
  return user
}

/** Returns the same methods, which wait for the start-up. */
function afterStart<Methods extends object>(ready: Ready, methods: Methods): Methods {
  const waiting = Object.entries(methods).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      await ready()
      return method(...args)
    },
  ])
  return Object.fromEntries(waiting) as Methods
}

function referencesOf<User extends EditorUser>(
  media: MediaServices,
  ready: Ready,
): MediaReferences<User> {
  const prepare = async (options: SaveOptions | undefined): Promise<void> => {
    if (!options?.tx) return ready()
    // While the record's transaction is open, the start-up could wait for it without end.
    const advice = 'Await gate.ready() at start-up, before the first record is saved.'
    if (!ready.isDone()) throw editorError('not_ready', advice)
  }
  return {
    async set(record, texts, options) {
      await prepare(options)
      return saveReferences(media, 'references.set', record, texts, options)
    },
    async remove(record, options) {
      await prepare(options)
      return saveReferences(media, 'references.remove', record, [], options)
    },
    ...afterStart<Pick<MediaReferences<User>, 'settle' | 'rebuild'>>(ready, {
      settle: (ids, by) => settle(media, ids, by),
      rebuild: (records) => rebuildReferences(media, records),
    }),
  }
}

async function claim(
  { contexts, csrf }: GateParts,
  { ledger }: MediaServices,
  request: unknown,
  user: EditorUser,
): Promise<number> {
  const context = contexts.of(request, 'claim')
  const session = context.csrf?.previous ?? csrf.session(context)
  const { owner } = parseOwner(user)
  return session === null ? 0 : ledger.changeOwner(anonymousOwner(session), owner)
}

/**
 * Reads `{ owner }`.
 * @throws ConfigurationError that names the call; QuillgateError `invalid_user` (500)
 */
function ownerIn(call: string, options: unknown = {}): Principal {
  const { owner } = parse({ owner: optional(checks.anything<Owner>()) }, options, call)
  return parseOwner(owner as Owner) // It refuses undefined.
}

const NAMESPACE = 'web_markdown_widget:'
const ENDPOINTS: readonly string[] = ['upload', 'finalize']

function urlOf(name: EndpointName, basePath: string): string {
  const plain = name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name
  if (ENDPOINTS.includes(plain)) return `${basePath}/${plain}`
  const known = ENDPOINTS.join(', ')
  throw serverError(
    'unknown_endpoint',
    `There is no endpoint ${JSON.stringify(name)}; known are ${known}.`,
  )
}

function noAuthentication(): ConfigurationError {
  const problem =
    'is required, because there are no trusted devices on this application object that say who is signed in. With the ' +
    'setting requireAuth: false, visitors may upload without it'
  return new ConfigurationError('authenticate', problem)
}

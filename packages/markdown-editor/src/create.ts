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
} from '@quillgate/server/core'
import { parseRate, type RequestContext } from '@quillgate/server/http'
import { editorError } from './errors.ts'
import { EditorAccess } from './http/access.ts'
import { createEditorEndpoints, endpointUrl } from './http/endpoints.ts'
import { readForm } from './http/read-form.ts'
import type { EditorMedia, MarkdownEditor, MediaReferences } from './markdown-editor.ts'
import { check } from './media/check.ts'
import { deleteOrphanedMedia, removeFile, settle } from './media/cleanup.ts'
import { finalize } from './media/finalize.ts'
import { Installation } from './media/ledger/installation.ts'
import { createLedgerDatabase } from './media/ledger/ledger-database.ts'
import { MediaLedger } from './media/ledger/media-ledger.ts'
import { listMedia } from './media/ledger/media-list.ts'
import {
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
import { type EditorConfiguration, type MarkdownEditorOptions, resolveOptions } from './options.ts'
import { clientAssets } from './widget/assets.ts'
import { MarkdownEditorWidget } from './widget/markdown-editor-widget.ts'
import { createWidgetSource } from './widget/widget-defaults.ts'

/**
 * Creates the markdown editor. When an adapter mounts the application object, the editor connects
 * to the database and the storage. Without an adapter, call `await gate.ready()`.
 *
 * @param gate the application object
 * @throws ConfigurationError that names the invalid option or setting
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
  const { authenticate, authorize, basePath, renderer, settings } = options
  const { components, contexts, cors, csrf, limiter, network } = gate.parts
  const media = createServices(options, gate.parts)
  const { ready, close } = createLifetime(options, gate.parts, media)
  const access = new EditorAccess({
    ...{ authenticate, authorize, csrf, identify: components.identify, limiter, network },
    requireAuth: settings.requireAuth,
    uploadRate: parseRate(settings.uploadRateLimit),
  })
  components.register({
    name: 'markdown-editor',
    ...createEditorEndpoints(options, access, media, clientAssets, { cors, ready }),
    ...(authenticate && { authenticate: identifyBy(access) }),
    ready,
    close,
  })
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
    // The cast is safe, because `authenticate` of this editor returns its users.
    ownerOf: (request) =>
      access.ownerOf(contexts.of(request, 'editor.ownerOf')) as Promise<Owner<User> | null>,
    ...afterStart<Pick<MarkdownEditor, LaterMethod>>(ready, {
      readForm: (request) => readForm(access, media, contexts.of(request, 'editor.readForm')),
      finalize: (text, how) => finalize(media, text, ownerIn('finalize', how)),
      claim: (request, user) => claim(gate.parts, media, request, user),
      deleteOrphanedMedia: (before, after, how) => deleteOrphanedMedia(media, before, after, how),
      sweep: (how) => sweep(media, how),
      check: (how) => check(media, how),
    }),
    references: referencesOf(media, ready),
    media: afterStart<EditorMedia>(ready, {
      add: (file, how) => addMedia(media, file, ownerIn('media.add', how)),
      get: (id) => media.ledger.get(id),
      list: (how) => listMedia(media.database, how),
      remove: (id, by) => removeFile(media, id, by),
      restore: (id) => media.ledger.restore(id, media.clock()),
    }),
    url: (name) => endpointUrl(name, basePath),
    getSetting: (key) => getSetting(settings, key),
  }
}

const identifyBy = (access: EditorAccess) => async (context: RequestContext) => {
  const user = await access.userOf(context)
  return user && { user, isBearer: false }
}

type LaterMethod = 'readForm' | 'finalize' | 'claim' | 'deleteOrphanedMedia' | 'sweep' | 'check'

function createServices(
  { settings, storage, uploadHandler, canManage, onDeleted }: EditorConfiguration,
  { database: connection, prefix, publicOrigin, clock, logger }: GateParts,
): MediaServices {
  const database = createLedgerDatabase(connection, prefix)
  return {
    ...{ database, storage, settings, canManage, onDeleted, clock, logger },
    ledger: new MediaLedger(database),
    installation: new Installation(database, storage),
    urls: createMediaUrls({ ...settings, tempPath: settings.tempUploadPath, publicOrigin }),
    handler: uploadHandler ?? new DefaultUploadHandler(),
  }
}

const NO_AUTHENTICATION =
  'is required, because the application object has no trusted devices to identify the user. To let visitors upload ' +
  'without signing in, set requireAuth: false instead'

function createLifetime(
  { settings, authenticate }: EditorConfiguration,
  gate: GateParts,
  media: MediaServices,
) {
  const background = new BackgroundSweep((how) => sweep(media, how), media.logger)
  const ready = createReady(async () => {
    if (settings.requireAuth && !authenticate && !gate.components.canIdentify())
      throw new ConfigurationError('authenticate', NO_AUTHENTICATION)
    await gate.createTables(mediaMigrations, gate.prefix)
    await media.installation.prepare()
    background.start(settings.sweepInterval)
  })
  async function close(): Promise<void> {
    await ready.settled()
    try {
      await background.stop()
    } finally {
      await media.storage.close?.()
    }
  }
  return { ready, close }
}

/** Wraps methods so that each call first waits for the start-up. */
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

function referencesOf(media: MediaServices, ready: Ready): MediaReferences {
  const prepare = async (options: SaveOptions | undefined): Promise<void> => {
    if (!options?.tx) return ready()
    // Does not wait for the start-up, which may itself wait for this transaction: a deadlock.
    const detail = 'The editor is not ready. Await gate.ready() before the first record is saved.'
    if (!ready.isDone()) throw editorError('not_ready', detail)
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
    ...afterStart<Pick<MediaReferences, 'settle' | 'rebuild'>>(ready, {
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
  return session ? ledger.changeOwner(parseOwner({ session }).owner, owner) : 0
}

function ownerIn(call: string, options: unknown = {}): Principal {
  const { owner } = parse({ owner: optional(checks.anything<Owner>()) }, options, call)
  return parseOwner(owner as Owner) // Throws `invalid_user` (500) if the owner is undefined.
}

import { checkGate, type GateParts, type Quillgate } from '@quillgate/server'
import {
  ConfigurationError,
  createReady,
  getSetting,
  parse,
  type QuillgateError,
  type Ready,
  serverError,
} from '@quillgate/server/core'
import { checkServer, migrate } from '@quillgate/server/database'
import type { Endpoints } from '@quillgate/server/http'
import {
  actorOptions,
  checkTarget,
  cleanupOptions,
  listOptions,
  ownerOption,
  saveOptions,
} from './call-options.ts'
import { clientAssets } from './client-assets.ts'
import { type ComposedMedia, composeMedia } from './compose-media.ts'
import { composeWidget } from './compose-widget.ts'
import { editorError } from './errors.ts'
import { authenticateBy } from './http/requester.ts'
import { createEditorEndpoints } from './http/routes.ts'
import type { EndpointName, MarkdownEditor } from './markdown-editor.ts'
import { CHECK_OPTIONS } from './media/check.ts'
import { anonymousOwner, type EditorUser, parseOwner } from './media/ledger/principal.ts'
import { mediaMigrations } from './media/ledger/schema.ts'
import type { MediaReferences } from './media/references/media-references.ts'
import { SWEEP_OPTIONS } from './media/sweep/sweep.ts'
import { type EditorConfiguration, type MarkdownEditorOptions, resolveOptions } from './options.ts'
import { MarkdownEditorWidget } from './widget/markdown-editor-widget.ts'

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
  const { basePath, settings } = options
  const onUnexpected = (error: unknown): void =>
    gate.parts.logger.error('The markdown editor met an unexpected error.', error)
  const media = composeMedia(options, gate.parts, onUnexpected)
  const ready = createReady(() => startUp(options, gate.parts, media))
  const widgets = composeWidget(options, gate.parts.logger)
  const endpoints = composeEndpoints(options, gate.parts, media, ready, onUnexpected)
  register(options, gate.parts, media, ready, endpoints)
  const whenReady = afterStart(ready)

  return {
    gate,
    widget: (widgetOptions) => new MarkdownEditorWidget({ ...widgetOptions, editor: widgets }),
    get widgetDefaults() {
      return widgets.widgetDefaults
    },
    get renderer() {
      return widgets.renderer
    },
    finalize: whenReady((text, owner) =>
      media.finalize(text, ownerOption<User>('finalize', owner)),
    ),
    deleteOrphanedMedia: whenReady((before, after, how) =>
      media.cleanup.deleteOrphanedMedia(before, after, cleanupOptions(how)),
    ),
    references: referencesOf(media, ready),
    media: mediaOf(media, ready),
    async claim(request, user) {
      const { contexts, csrf } = gate.parts
      const context = contexts.of(request, 'claim')
      const session = context.csrf?.previous ?? csrf.session(context)
      const { owner } = parseOwner(user)
      await ready()
      return session === null ? 0 : media.ledger.changeOwner(anonymousOwner(session), owner)
    },
    sweep: whenReady((how = {}) => media.sweep(parse(SWEEP_OPTIONS, how, 'sweep'))),
    check: whenReady((how = {}) => media.check(parse(CHECK_OPTIONS, how, 'check'))),
    copyTo: whenReady((target, how) => {
      checkTarget(target)
      return media.copyTo(target, how)
    }),
    url: (name) => urlOf(name, basePath),
    getSetting: (key) => getSetting(settings, key),
    records: options.records ?? null,
  }
}

async function startUp<User extends EditorUser>(
  { settings, authenticate }: EditorConfiguration<User>,
  gate: GateParts,
  { installation, background }: ComposedMedia<User>,
): Promise<void> {
  if (settings.requireAuth && !authenticate && !gate.canIdentify()) throw noAuthentication()
  if (gate.migrate) await migrate(gate.database, mediaMigrations, { prefix: gate.prefix })
  else await checkServer(gate.database)
  await installation.prepare()
  background.start()
}

function composeEndpoints<User extends EditorUser>(
  options: EditorConfiguration<User>,
  { cors, csrf, identify, limiter, network }: GateParts,
  { finalize, ledger, uploads, urls }: ComposedMedia<User>,
  ready: Ready,
  onUnexpected: (error: unknown) => void,
): Endpoints {
  const { authenticate, authorize, basePath, delivery, settings, storage } = options
  // The only users of the endpoints are those that `authenticate` returns.
  const own = (user: EditorUser | null): User | null => user as User | null
  return createEditorEndpoints({
    ...{ assets: clientAssets, basePath, delivery, settings, storage },
    ...{ cors, csrf, identify, limiter, network, ledger, uploads, urls, ready, onUnexpected },
    async authenticate(context) {
      if (authenticate) return authenticateBy(authenticate, context)
      return (await identify(context))?.user ?? null
    },
    finalize: (text, { owner, user }) => finalize(text, { owner, user: own(user) }),
    ...(authorize ? { authorize: (user, medium) => authorize(own(user), medium) } : {}),
  })
}

function register<User extends EditorUser>(
  { authenticate, storage }: EditorConfiguration<User>,
  gate: GateParts,
  { background }: ComposedMedia<User>,
  ready: Ready,
  endpoints: Endpoints,
): void {
  gate.register({
    name: 'markdown-editor',
    ...endpoints,
    ready,
    async close() {
      await ready.settled()
      await background.stop()
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
}

/** Lets functions wait for the start-up. */
function afterStart(ready: Ready) {
  return <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await ready()
      return work(...args)
    }
}

function referencesOf<User extends EditorUser>(
  { references }: ComposedMedia<User>,
  ready: Ready,
): MediaReferences<User> {
  const whenReady = afterStart(ready)
  const write: MediaReferences['set'] = async (record, texts, options) => {
    // While the record's transaction is open, the start-up could wait for it without end.
    if (options?.tx && !ready.isDone()) throw notReady()
    if (!options?.tx) await ready()
    return references.set(record, texts, options)
  }
  return {
    set: async (record, texts, options) =>
      write(record, texts, saveOptions('references.set', options)),
    remove: async (record, options) => write(record, [], saveOptions('references.remove', options)),
    settle: whenReady((ids, by) => references.settle(ids, actorOptions('references.settle', by))),
    rebuild: whenReady(references.rebuild),
  }
}

function mediaOf<User extends EditorUser>(
  { add, cleanup, ledger, list, quarantine }: ComposedMedia<User>,
  ready: Ready,
): MarkdownEditor<User>['media'] {
  const whenReady = afterStart(ready)
  return {
    add: whenReady((file, options) => add(file, ownerOption<User>('media.add', options))),
    get: whenReady(ledger.get),
    list: whenReady((options) => list(listOptions(options))),
    release: whenReady(quarantine.release),
    reject: whenReady((id, by) => quarantine.reject(id, actorOptions('media.reject', by))),
    remove: whenReady((id, by) => cleanup.remove(id, actorOptions('media.remove', by))),
    restore: whenReady(cleanup.restore),
  }
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

function notReady(): QuillgateError {
  return editorError(
    'not_ready',
    'Await gate.ready() at start-up, before the first record is saved.',
  )
}

import type { CsrfVerifier } from '@quillgate/server'
import {
  type ClientAssets,
  type CorsOptions,
  parseRate,
  type RequestContext,
} from '@quillgate/server/http'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import type { FetchHandler } from '@quillgate/server/testing/suites'
import type { Storage } from '@quillgate/storage'
import { memoryStorage } from '@quillgate/storage/testing'
import { createMediaUrls } from '../../../markdown/src/media-urls/media-url.ts'
import { clientAssetsIn } from '../../../server/src/http/client-assets.ts'
import { openContext } from '../../../server/src/http/context.ts'
import { createCsrf, ownCsrf } from '../../../server/src/http/csrf/csrf.ts'
import { createNetwork } from '../../../server/src/http/network/network.ts'
import { createOpenApi } from '../../../server/src/http/openapi.ts'
import { createRateLimiter } from '../../../server/src/http/rate-limit/rate-limit.ts'
import { withCookies } from '../../../server/src/http/response-cookies.ts'
import { createTestCsrf } from '../../../server/test/support/test-csrf.ts'
import { EditorAccess } from '../../src/http/access.ts'
import { createEditorEndpoints } from '../../src/http/endpoints.ts'
import { Installation } from '../../src/media/ledger/installation.ts'
import type { MediaLedger } from '../../src/media/ledger/media-ledger.ts'
import type { Medium } from '../../src/media/ledger/medium.ts'
import type { EditorUser } from '../../src/media/ledger/principal.ts'
import type { MediaServices } from '../../src/media/services.ts'
import { DefaultUploadHandler, type UploadHandler } from '../../src/media/upload/upload-handler.ts'
import type { EditorConfiguration } from '../../src/options.ts'
import { resolveSettings, type SettingsInput } from '../../src/settings.ts'
import { withFormAsBytes } from '../form-bytes.ts'
import { openLedger, withMethods } from '../media/upload/open-ledger.ts'
import { expectDocumented } from './documented.ts'

export const ORIGIN = 'https://example.com'
const ADDRESS = '192.0.2.1'

export interface OpenOptions {
  readonly settings?: SettingsInput
  readonly storage?: Storage
  readonly handler?: UploadHandler
  readonly routes?: Partial<Pick<EditorConfiguration, 'authorize' | 'delivery'>> & {
    readonly authenticate?: (context: RequestContext) => EditorUser | null
    readonly csrf?: CsrfVerifier
    readonly cors?: CorsOptions
    readonly assets?: ClientAssets
    readonly ready?: () => Promise<void>
    /** Replaces the lookup in the ledger. */
    readonly get?: (id: string) => Promise<Medium | null>
  }
}

/** The endpoints with a memory storage and the real ledger, CSRF protection and rate limiter. */
export interface OpenRoutes {
  readonly handler: FetchHandler
  readonly storage: Storage
  readonly ledger: MediaLedger
  readonly clock: FakeClock
  /** The errors that a log would contain. */
  readonly unexpected: unknown[]
  /** The default visitor is not signed in. */
  send(path: string, init?: RequestInit, as?: Visitor): Promise<Response>
  keys(): Promise<string[]>
  close(): Promise<void>
}

export interface Visitor {
  readonly user?: string
  /** @default 'header' */
  readonly csrf?: 'header' | 'none' | 'cookie-only' | 'header-only' | 'mismatch'
  /** Cookie and token of an existing session; by default, a new session is created. */
  readonly session?: Session
  readonly address?: string
}

export interface Session {
  readonly cookie: string
  readonly token: string
}

const SECRET = 'a secret of thirty-two bytes, at least'
const csrf = createTestCsrf({
  secret: SECRET,
  publicOrigin: ORIGIN,
})

export function openSession(user?: string): Session {
  const context = { request: new Request(ORIGIN) }
  const { token, headers } = csrf.issue(context, user === undefined ? null : { id: user })
  return { token, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

export function sessionId({ cookie }: Session): string | null {
  return csrf.session({ request: new Request(ORIGIN, { headers: { cookie } }) })
}

/** The id is in a bearer token or in the cookie `user`. The token `bad` is invalid. */
function signedInUser({ request: { headers } }: RequestContext): EditorUser | null {
  const [, id] = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '') ?? []
  const [, signedIn] = /user=(\w+)/.exec(headers.get('cookie') ?? '') ?? []
  if (headers.has('authorization')) return id === undefined || id === 'bad' ? null : { id }
  return signedIn === undefined ? null : { id: signedIn }
}

export async function openRoutes(options: OpenOptions = {}): Promise<OpenRoutes> {
  const clock = createFakeClock()
  const storage = options.storage ?? memoryStorage({ clock })
  const settings = resolveSettings(options.settings)
  const { database, ledger, close } = await openLedger()
  const urls = createMediaUrls({ ...settings, tempPath: settings.tempUploadPath })
  const unexpected: unknown[] = []
  const onUnexpected = (error: unknown): void => void unexpected.push(error)
  const { authenticate = signedInUser, csrf: own, authorize, get, ...routes } = options.routes ?? {}
  const network = createNetwork({ publicOrigin: ORIGIN })
  const media: MediaServices = {
    ...{ database, settings, storage, urls, clock },
    ledger: withMethods(ledger, get ? { get } : {}),
    installation: new Installation(database, storage),
    handler: options.handler ?? new DefaultUploadHandler(),
    logger: { warn: () => {}, error: (_message, error) => onUnexpected(error) },
  }
  const access: EditorAccess = new EditorAccess({
    ...{ authenticate, authorize, network },
    async identify(context) {
      const user = await access.userOf(context)
      return user && { user, isBearer: false }
    },
    requireAuth: settings.requireAuth,
    uploadRate: parseRate(settings.uploadRateLimit),
    csrf: own ? ownCsrf(own) : createCsrf({ secret: SECRET, network, logger: { warn: () => {} } }),
    limiter: createRateLimiter({ clock, key: Buffer.from(SECRET), logger: { warn: () => {} } }),
  })
  const { delivery = 'stream', assets = clientAssetsIn(() => '/nowhere', 'the-client') } = routes
  const { cors, ready = async () => {} } = routes
  const where = { basePath: '/md-editor', delivery }
  const endpoints = createEditorEndpoints(where, access, media, assets, { cors, ready })
  const { handles, respond } = endpoints
  const openApi = () => createOpenApi([{ name: 'markdown-editor', ...endpoints }])
  const handler: FetchHandler = {
    handles,
    async fetch(request, connection) {
      const context = openContext(request, connection)
      return withCookies(await respond(context), context.cookies)
    },
  }
  return {
    handler,
    storage,
    ledger,
    clock,
    unexpected,
    close,
    async send(path, given = {}, as = {}) {
      const init = await withFormAsBytes(given)
      const request = new Request(new URL(path, ORIGIN), {
        ...init,
        headers: headersFor(as, init.headers),
      })
      const response = await handler.fetch(request, { address: as.address ?? ADDRESS })
      await expectDocumented(openApi(), request, response)
      return response
    },
    async keys() {
      const keys: string[] = []
      for (const folder of ['md-editor/', 'tmp/', 'incoming/']) {
        for await (const { key } of storage.list(folder)) keys.push(key)
      }
      return keys.sort()
    },
  }
}

/** Headers of the test take precedence. */
export function headersFor(as: Visitor, given?: RequestInit['headers']): Headers {
  const headers = new Headers(given)
  const { user, csrf: proof = 'header', session = openSession(user) } = as
  const cookies = [
    user === undefined ? '' : `user=${user}`,
    /none|header-only/.test(proof) ? '' : session.cookie,
  ]
  const token = {
    header: session.token,
    'header-only': session.token,
    mismatch: openSession(user).token,
  }[proof as string]
  if (!headers.has('cookie')) headers.set('cookie', cookies.filter(Boolean).join('; '))
  if (token !== undefined && !headers.has('x-csrf-token')) headers.set('x-csrf-token', token)
  if (!headers.has('origin')) headers.set('origin', ORIGIN)
  return headers
}

export function formWith(
  bytes: Uint8Array | string,
  name = 'photo.png',
  type = 'image/png',
): FormData {
  const form = new FormData()
  form.append(
    'file',
    new File([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)], name, { type }),
  )
  return form
}

/** Checks that a response is a valid problem document. */
export async function problemOf(
  response: Response,
): Promise<{ status: number; code: string; detail: string }> {
  const problem = (await response.json()) as { status: number; code: string; detail: string }
  if (response.headers.get('content-type') !== 'application/problem+json')
    throw new Error('This is not a problem document')
  if (response.headers.get('cache-control') !== 'no-store')
    throw new Error('A problem must not be stored')
  if (problem.status !== response.status) throw new Error('The statuses differ')
  return problem
}

import { isQuillgateError, serverError } from '@quillgate/server/core'
import {
  type Access,
  bodies,
  createDefineEndpoint,
  createEndpoints,
  type Endpoint,
  type Endpoints,
  type PathParam,
  PUBLIC,
  parseRate,
  type RequestContext,
} from '@quillgate/server/http'
import type { TrustedDevices, User } from '@quillgate/trusted-devices'
import type { AlertStore } from '../alert-store.ts'
import { type AlertLinks, timeOf } from '../link.ts'
import type { Configuration, Constants } from '../options.ts'
import { noticePage, type PageParts, questionPage, reportedPage } from './pages.ts'

interface PagesParts {
  readonly devices: TrustedDevices
  readonly options: Configuration
  readonly constants: Constants
  readonly store: AlertStore
  readonly links: AlertLinks
}

const defineEndpoint = createDefineEndpoint('login-alerts', {})
const PAGE = { contentType: 'text/html' }
const UNUSABLE = {
  404: { description: 'A page that says that the link is not valid', ...PAGE },
  410: { description: 'A page that says that the link has expired', ...PAGE },
}
const TOKEN_PARAM: PathParam<string> = {
  schema: { type: 'string' },
  errors: [],
  parse: (text) => text,
}

/** Creates the endpoints of the pages that mails link to. */
export function createPages(parts: PagesParts, ready: () => Promise<void>): Endpoints {
  const { basePath } = parts.options
  const { limiter, network, logger } = parts.devices.gate.parts
  const onUnexpected = (error: unknown): void =>
    logger.error('A request to an endpoint of login alerts failed.', error)
  const rate = parseRate(parts.constants.pageRate)
  const common = {
    async rateLimit(context: RequestContext): Promise<void> {
      const { key } = network.addressLimit(context, rate)
      await limiter.consume(`login-alerts:address:${key}`, rate)
    },
    errorPage: (context: RequestContext, error: unknown) =>
      errorPage(parts, context, error, onUnexpected),
  }
  // Opening the page changes nothing, because programs such as virus scanners also open links.
  const getAlert: Endpoint = defineEndpoint({
    ...common,
    id: 'getLoginAlert',
    method: 'GET',
    path: `${basePath}/:token`,
    summary: 'The page that the link in a login alert opens',
    access: PUBLIC,
    params: { token: TOKEN_PARAM },
    answers: { 200: { description: 'A page with a form', ...PAGE }, ...UNUSABLE },
    handle: ({ context, params }) => ask(parts, context, params.token),
  })
  const postAlert: Endpoint = defineEndpoint({
    ...common,
    id: 'postLoginAlert',
    method: 'POST',
    path: basePath,
    summary: 'Answers a login alert: "this wasn’t me"',
    access: ownPage(parts),
    body: bodies.form({
      type: 'object',
      required: ['token'],
      properties: { token: { type: 'string' } },
    }),
    answers: { 200: { description: 'A page with the result', ...PAGE }, ...UNUSABLE },
    handle: ({ context, body }) => report(parts, context, body.get('token') ?? ''),
  })
  const endpoints = [getAlert, postAlert]
  return createEndpoints({ endpoints, paths: [basePath], ready, onUnexpected })
}

// Returns an error as an HTML page, because users see it.
async function errorPage(
  { options }: PagesParts,
  context: RequestContext,
  error: unknown,
  onUnexpected: (error: unknown) => void,
): Promise<Response> {
  const page = pageOf(options, context, null)
  if (!isQuillgateError(error) || error.status >= 500) onUnexpected(error)
  return noticePage(page, 'failed', isQuillgateError(error) ? error : {})
}

async function ask(parts: PagesParts, context: RequestContext, token: string): Promise<Response> {
  const opened = await open(parts, context, token)
  if ('notice' in opened) return noticePage(opened.page, opened.notice)
  const { alert, page } = opened
  if (alert.isReported) return reportedPage(page, null)
  return questionPage(page, alert, { token, action: parts.options.basePath })
}

// Stores the report after the revocation. If the process crashes in between, the user can report
// the login again.
async function report(
  parts: PagesParts,
  context: RequestContext,
  token: string,
): Promise<Response> {
  const { devices, store, options } = parts
  const opened = await open(parts, context, token)
  if ('notice' in opened) return noticePage(opened.page, opened.notice)
  const { alert, page, user } = opened
  if (alert.isReported) return reportedPage(page, null)
  const { userId, deviceUid, eventId } = alert
  const revoked = await devices.registry.revokeAll(userId, { reason: 'reported' })
  if (!(await store.markReported(eventId, true))) return reportedPage(page, null)
  try {
    await options.onReported?.({ user, deviceUid, eventId, revoked })
  } catch (error) {
    await store.markReported(eventId, false) // The user can report the login again.
    throw error
  }
  return reportedPage(page, revoked)
}

async function open(
  { links, store, constants, devices, options }: PagesParts,
  context: RequestContext,
  token: string,
) {
  const eventId = links.parse(token)
  const [alert] = eventId === null ? [] : await store.find([eventId])
  const user = alert ? await devices.users.find(alert.userId) : null
  const page = pageOf(options, context, user)
  const isExpired =
    eventId !== null && timeOf(eventId) + constants.linkLifetime <= devices.gate.parts.clock()
  if (isExpired) return { page, notice: 'expired' as const }
  return alert && user ? { page, alert, user } : { page, notice: 'invalid' as const }
}

// Rejects requests that a browser sends from another origin. The token in the form identifies the
// user, so no session is needed. The page sends no referrer, so `Origin` may be `null`.
function ownPage({ options, devices }: PagesParts): Access<null> {
  return {
    security: [],
    errors: ['csrf_failed'],
    async authenticate(context) {
      const { headers } = context.request
      const site = headers.get('sec-fetch-site')
      const origin = headers.get('origin')
      const ours = [options.origin(), devices.gate.parts.network.origin(context)]
      const isForeign =
        site === null
          ? origin !== null && origin !== 'null' && !ours.includes(origin)
          : !/^(same-origin|none)$/.test(site)
      if (isForeign) throw serverError('csrf_failed', 'Open the link in the mail again.')
      return null
    },
  }
}

function pageOf(options: Configuration, { request }: RequestContext, user: User | null): PageParts {
  const accepted = request.headers.get('accept-language')
  return { context: options.alertContextFor(user, accepted), devicesUrl: options.devicesUrl() }
}

import { isQuillgateError, serverError } from '@quillgate/server/core'
import {
  type Access,
  type Endpoint,
  formBody,
  type PathParam,
  PUBLIC,
  type RequestContext,
} from '@quillgate/server/http'
import type { AlertLink } from '../../alerts/alert-link.ts'
import type { Alerts } from '../../alerts/alerts.ts'
import { defineEndpoint } from '../define-endpoint.ts'
import type { HttpParts } from '../http-parts.ts'
import { PATHS } from '../paths.ts'
import { consumeForStranger } from '../tokens/stranger-limits.ts'
import { mutedPage, noticePage, type PageParts, questionPage, reportedPage } from './alert-pages.ts'

const PAGE = { contentType: 'text/html' }
const EXPIRED = { description: 'The link has expired: a page that says so', ...PAGE }
const INVALID = { description: 'The link is none of ours: a page that says so', ...PAGE }

/**
 * `GET /trusted-devices/alerts/{token}`: a page that asks. It changes nothing, because programs
 * open links too.
 */
export const getAlert = (parts: HttpParts): Endpoint =>
  defineEndpoint({
    id: 'getAlert',
    method: 'GET',
    path: parts.basePath + PATHS.alert,
    summary: 'The page of the links of an alert',
    access: PUBLIC,
    params: { token: TOKEN_PARAM },
    rateLimit: (context) => limit(parts, context),
    answers: { 200: { description: 'A page with a form', ...PAGE }, 404: INVALID, 410: EXPIRED },
    handle: ({ context, params }) => ask(parts, context, params.token),
    errorPage: (context, error) => errorPage(parts, context, error),
  })

const TOKEN_PARAM: PathParam<string> = {
  schema: { type: 'string' },
  errors: [],
  parse: (text) => text,
}

/**
 * `POST /trusted-devices/alerts`: the answer of a person on that page. The token in the form is the
 * only proof.
 */
export const postAlert = (parts: HttpParts): Endpoint =>
  defineEndpoint({
    id: 'postAlert',
    method: 'POST',
    path: parts.basePath + PATHS.alertAnswer,
    summary: 'Answers an alert: "this wasn’t me" or "this was me"',
    access: ownPage(parts),
    rateLimit: (context) => limit(parts, context),
    body: formBody({
      type: 'object',
      required: ['token', 'answer'],
      properties: {
        token: { type: 'string' },
        answer: { type: 'string', enum: ['reported', 'muted'] },
      },
    }),
    answers: {
      200: { description: 'A page with the result', ...PAGE },
      404: INVALID,
      410: EXPIRED,
    },
    errors: ['invalid_request'],
    handle: ({ context, body }) => act(parts, context, body),
    errorPage: (context, error) => errorPage(parts, context, error),
  })

function limit({ alerts, limiter, network }: HttpParts, context: RequestContext): Promise<void> {
  const { rate } = requireAlerts({ alerts }).policy
  return consumeForStranger(limiter, 'alert', network.addressLimit(context, rate))
}

/** People see these pages, so every error is one. */
async function errorPage(
  parts: HttpParts,
  context: RequestContext,
  error: unknown,
): Promise<Response> {
  const page = pageFor(requireAlerts(parts), context)
  if (!isQuillgateError(error) || error.status >= 500) parts.onUnexpected(error)
  if (!isQuillgateError(error)) return noticePage(page, 'failed')
  const { status, headers } = error
  if (status === 429) return noticePage(page, 'busy', { headers })
  return noticePage(page, status === 403 ? 'refused' : 'failed', { status, headers })
}

async function ask(parts: HttpParts, context: RequestContext, token: string): Promise<Response> {
  const alerts = requireAlerts(parts)
  const opened = await open(parts, context, token)
  if ('notice' in opened) return noticePage(opened.page, opened.notice)
  const { link, page } = opened
  const [stored] = await alerts.table.find(parts.registry.db.executor, [link.eventId])
  if (stored?.answer === 'reported') return reportedPage(page, null)
  return questionPage(page, {
    link,
    token,
    event: stored?.userId === link.userId && stored.details.reason !== '' ? stored : null,
    action: `${parts.basePath}/alerts`,
    prefersMe: new URL(context.request.url).searchParams.get('was') === 'me',
    now: parts.registry.clock(),
  })
}

async function act(
  parts: HttpParts,
  context: RequestContext,
  form: URLSearchParams,
): Promise<Response> {
  const opened = await open(parts, context, form.get('token') ?? '')
  if ('notice' in opened) return noticePage(opened.page, opened.notice)
  const { link, page } = opened
  const chosen = form.get('answer')
  if (chosen === 'reported') return reportedPage(page, await report(parts, link))
  if (chosen === 'muted' && link.kind !== 'compromised' && !link.isSummary) {
    const { answers, table } = requireAlerts(parts)
    const [stored] = await table.find(parts.registry.db.executor, [link.eventId])
    const until = await answers.mute(link)
    return until === null
      ? reportedPage(page, null)
      : mutedPage(page, until, stored?.details.country !== null)
  }
  throw serverError('invalid_request', 'Send answer=reported or answer=muted.')
}

/** @returns how many devices were revoked; null when it was reported before */
async function report(
  { users, publish, ...parts }: HttpParts,
  link: AlertLink,
): Promise<number | null> {
  const { answers, policy } = requireAlerts(parts)
  const { revoked, facts } = await answers.report(link)
  if (revoked === null) return null
  const user = (await users.find(link.userId)) ?? users.deleted(link.userId)
  await publish(facts, user)
  try {
    await policy.onReported?.({ user, deviceUid: link.deviceUid, eventId: link.eventId, revoked })
  } catch (error) {
    await answers.takeBack(link) // So that it can be pressed again.
    throw error
  }
  return revoked
}

type Opened = { readonly page: PageParts } & (
  | { readonly link: AlertLink }
  | { readonly notice: 'invalid' | 'expired' }
)

/** Checks that a link is ours, has not expired, and belongs to an existing user. */
async function open(parts: HttpParts, context: RequestContext, token: string): Promise<Opened> {
  const alerts = requireAlerts(parts)
  const link = alerts.links.parse(token)
  if (!link) return { page: pageFor(alerts, context), notice: 'invalid' }
  const user = await parts.users.find(link.userId)
  const page = { policy: alerts.policy, voice: alerts.policy.voiceFor(user, languageOf(context)) }
  if (!user) return { page, notice: 'invalid' }
  return link.expiresAt <= parts.registry.clock() ? { page, notice: 'expired' } : { page, link }
}

/**
 * Accepts requests of the page of the alert. The token in the form names the user, so that no
 * session is needed.
 */
function ownPage(parts: HttpParts): Access<null> {
  return {
    security: [],
    errors: ['csrf_failed'],
    async authenticate(context) {
      requireOwnPage(parts, context)
      return null
    },
  }
}

/**
 * Another site gains nothing by sending a token that it knows. It is refused nevertheless if the
 * browser names the site. Our page sends no referrer, which makes its origin `null`.
 */
function requireOwnPage(parts: HttpParts, { request, ...context }: RequestContext): void {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const ours = [requireAlerts(parts).policy.origin(), parts.network.origin({ request, ...context })]
  const isForeign =
    site === null
      ? origin !== null && origin !== 'null' && !ours.includes(origin)
      : !/^(same-origin|none)$/.test(site)
  if (isForeign) throw serverError('csrf_failed', 'Open the link of the mail again.')
}

function pageFor({ policy }: Alerts, context: RequestContext): PageParts {
  return { policy, voice: policy.voiceFor(null, languageOf(context)) }
}

function languageOf({ request }: RequestContext): string | null {
  return request.headers.get('accept-language')
}

/** These endpoints exist only with alerts. */
function requireAlerts({ alerts }: Pick<HttpParts, 'alerts'>): Alerts {
  if (!alerts) throw serverError('not_found', 'There is nothing at this address.')
  return alerts
}

import { invalidRequest, QuillgateError, serverError } from '@quillgate/server/core'
import { parseRate, problemResponse, readJson } from '@quillgate/server/http'
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import type { Account } from './accounts.ts'
import { checkTextSize, readDraft } from './draft.ts'
import { toQuillgateError } from './errors.ts'
import type { DemoParts } from './parts.ts'
import type { Post, PostStore } from './posts.ts'
import { eventToJson, listEvents } from './security-log.ts'

interface ApiParts extends DemoParts {
  readonly posts: PostStore
  /** The maximum rate of renderings per user, for example `60000/minute`. Null means no limit. */
  readonly renderRateLimit: string | null
}

/** Creates the JSON API for scripts. It saves posts in the same way as the forms. */
export function apiRoutes({
  database,
  devices,
  editor,
  gate,
  posts,
  renderRateLimit,
}: ApiParts): Router {
  const { limiter } = gate.parts
  const renderRate = parseRate(renderRateLimit, 'QUILLGATE_RENDER_RATE_LIMIT')
  const users = new WeakMap<Request, Account>()
  const router = Router()

  route('/posts', {
    POST: async (request, response) => {
      const { post, missing } = await posts.create(
        userOf(request),
        readDraft(await jsonBody(request)),
      )
      response
        .status(201)
        .location(`/api/posts/${post.id}`)
        .json({ ...toJson(post), missing })
    },
  })

  route('/posts/:id', {
    GET: async (request, response) => {
      response.json(toJson(await posts.find(idIn(request))))
    },
    PUT: async (request, response) => {
      const post = await posts.findOwn(idIn(request), userOf(request))
      const saved = await posts.update(userOf(request), post, readDraft(await jsonBody(request)))
      response.json({ ...toJson(saved.post), missing: saved.missing })
    },
    DELETE: async (request, response) => {
      await posts.remove(userOf(request), await posts.findOwn(idIn(request), userOf(request)))
      response.status(204).end()
    },
  })

  route('/security-log', {
    GET: async (request, response) => {
      const events = await listEvents(database, userOf(request).id)
      response.json({ events: events.map(eventToJson) })
    },
  })

  route(
    '/render',
    {
      POST: async (request, response) => {
        const { text } = ((await jsonBody(request)) ?? {}) as { text?: unknown }
        if (typeof text !== 'string')
          throw invalidRequest('The body must be a JSON object with a text, such as {"text": "…"}.')
        checkTextSize(text)
        response.json({ html: editor.renderer.render(text) })
      },
    },
    (user) => limiter.consume(`render:${user.id}`, renderRate),
  )

  router.use((_request, _response, next) => {
    next(serverError('not_found', 'There is nothing at this address.'))
  })
  router.use(sendProblem)
  return router

  type Handler = (request: Request, response: Response) => Promise<void>

  /**
   * Adds the handlers of a path. Checks the method (405), the authentication (401), the CSRF token
   * (403) and the rate limit (429), in this order. Then the handler reads the body.
   */
  function route(
    path: string,
    handlers: Readonly<Record<string, Handler>>,
    limit?: (user: Account) => Promise<void>,
  ): void {
    router.all(path, async (request, response) => {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
      if (!handler) {
        const allow = Object.keys(handlers).join(', ')
        throw new QuillgateError('method_not_allowed', 405, `Use one of these methods: ${allow}.`, {
          headers: { allow },
        })
      }
      await authenticate(request)
      await limit?.(userOf(request))
      await handler(request, response)
    })
  }

  async function authenticate(request: Request): Promise<void> {
    const session = await devices.authenticate(request)
    if (!session) throw serverError('authentication_required', 'Send a valid access token.')
    const reads = ['GET', 'HEAD'].includes(request.method)
    if (!reads && !(await gate.verifyCsrf(request))) {
      throw new QuillgateError(
        'csrf_failed',
        403,
        'The CSRF token is missing or invalid. Send the token of the page as x-csrf-token.',
      )
    }
    users.set(request, session.user)
  }

  function userOf(request: Request): Account {
    const user = users.get(request)
    if (!user) throw serverError('authentication_required', 'Send a valid access token.')
    return user
  }

  function toJson(post: Post): object {
    return {
      id: post.id,
      title: post.title,
      body: post.body,
      html: editor.renderer.render(post.body),
    }
  }
}

const idIn = (request: Request): string => String(request.params['id'])

const MAX_BODY = 32 * 1024 * 1024

/**
 * Reads the JSON body. Keeps the connection open after an error, so that the client receives the
 * response.
 */
function jsonBody(request: Request): Promise<unknown> {
  const headers = { 'content-type': request.get('content-type') ?? '' }
  const body = ReadableStream.from(request.iterator({ destroyOnReturn: false }))
  const sent = new globalThis.Request('http://localhost', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  })
  return readJson(sent, { maxBytes: MAX_BODY, tooLarge })
}

function tooLarge(maxBytes: number): QuillgateError {
  return new QuillgateError(
    'text_too_large',
    413,
    `The body is larger than ${maxBytes} bytes. Shorten it.`,
  )
}

/** Responds to an error with problem details, like the endpoints of the components. */
const sendProblem: ErrorRequestHandler = async (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const known = toQuillgateError(error)
  if (!known) console.error(error)
  const problem = problemResponse(known ?? error)
  response.status(problem.status)
  problem.headers.forEach((value, name) => {
    response.set(name, value)
  })
  response.end(await problem.text())
}

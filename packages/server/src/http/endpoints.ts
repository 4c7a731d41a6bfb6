import { Hono } from 'hono'
import { notFound } from '../core/common-errors.ts'
import type { FetchHandler, RequestContext } from './context.ts'
import { type CorsOptions, createCors } from './cors.ts'
import { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'
import { sentPath } from './sent-path.ts'

/** Answers a request. @param params the named parts of the path, decoded */
export type EndpointHandler = (
  context: RequestContext,
  params: Readonly<Record<string, string>>,
) => Promise<Response> | Response

/** One path and what it does. */
export interface Endpoint {
  /**
   * From the root. `:name` stands for one part, `*` at the end for all that follows. Fixed parts are compared without
   * decoding, so a guard in front of the handler sees each endpoint under one path only.
   */
  readonly path: string
  /** By method. `GET` answers `HEAD` too, where the body of its answer is dropped. */
  readonly methods: Readonly<Record<string, EndpointHandler>>
  /** True: it answers without waiting for `ready`, because it needs no database. @default false */
  readonly isStatic?: boolean
}

/** How {@link createEndpoints} works. */
export interface EndpointsOptions extends ProblemOptions {
  /** The first one whose path fits answers. */
  readonly endpoints: readonly Endpoint[]
  /** The paths that are ours, endpoint or not: each with all below it; one with a final slash only what is below it. */
  readonly paths: readonly string[]
  /** Is awaited before an endpoint answers, except for static ones. */
  readonly ready?: () => Promise<void>
  /** @default other origins may read nothing */
  readonly cors?: CorsOptions | undefined
}

/**
 * Makes a fetch handler of endpoints: 404 `not_found` and 405 `method_not_allowed` (before anything else is looked at),
 * `HEAD`, `OPTIONS` with CORS, and every error as problem details.
 *
 * @throws ConfigurationError for wrong `cors`
 *
 * @example
 * createEndpoints({
 *   paths: ['/notes'],
 *   endpoints: [{ path: '/notes/:id', methods: { GET: async (context, { id }) => jsonResponse(await find(id)) } }],
 * })
 */
export function createEndpoints(options: EndpointsOptions): FetchHandler {
  const { endpoints, paths, ready } = options
  const cors = options.cors === undefined ? null : createCors(options.cors)
  // Without this option, Hono decodes a path before it compares the fixed parts of routes.
  const app = new Hono<{ Bindings: { context: RequestContext } }>({ getPath: pathOf })
  const fixed = new Set(endpoints.map(({ path }) => path))
  const isOtherSpelling = (path: string): boolean => !fixed.has(path) && fixed.has(decoded(path))
  for (const { path, methods, isStatic = false } of endpoints) {
    const own = Object.keys(methods).flatMap((method) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    )
    const allow = cors ? [...own, 'OPTIONS'] : own
    app.all(path, async (c) => {
      const { context } = c.env
      const { method } = context.request
      if (isOtherSpelling(c.req.path)) throw notFound()
      if (cors && method === 'OPTIONS') return cors.preflight(context.request, allow)
      const handler = own.includes(method) ? methods[method === 'HEAD' ? 'GET' : method] : undefined
      if (!handler) throw methodNotAllowed(allow)
      if (!isStatic) await ready?.()
      return handler(context, c.req.param())
    })
  }
  app.notFound(() => problemResponse(notFound()))
  app.onError((error) => problemResponse(error, options))
  return {
    async fetch(request, context) {
      const response = withoutSniffing(await answer(app, { ...context, request }, options))
      return cors ? cors.share(request, response) : response
    },
    handles(request) {
      const path = typeof request === 'string' ? sentPath(request) : pathOf(request)
      if (path === null) return false
      return paths.some(
        (ours) => path === ours || path.startsWith(ours.endsWith('/') ? ours : `${ours}/`),
      )
    },
  }
}

/** Keeps browsers from guessing the type of an answer. */
function withoutSniffing(response: Response): Response {
  if (response.headers.has('x-content-type-options')) return response
  const answer = new Response(response.body, response) // Some responses have immutable headers.
  answer.headers.set('x-content-type-options', 'nosniff')
  return answer
}

/**
 * Returns a request that Hono can route. Its router looks methods up in plain objects and writes on what it finds, so that
 * `__proto__`, which HTTP/2 lets through, would change every object of the process. Our endpoints read the method of
 * their context.
 */
function routable(request: Request): Request {
  return /^[A-Z]+$/.test(request.method) ? request : new Request(request.url, { method: 'POST' })
}

/** Hono hands on what is thrown and no `Error`. */
async function answer(
  app: Hono<{ Bindings: { context: RequestContext } }>,
  context: RequestContext,
  options: ProblemOptions,
): Promise<Response> {
  try {
    return await app.fetch(routable(context.request), { context })
  } catch (error) {
    return problemResponse(error, options)
  }
}

function pathOf(request: Request | URL): string {
  return request instanceof URL ? request.pathname : new URL(request.url).pathname
}

/** Decodes a path but for encoded slashes. Returns the path itself if its encoding is broken. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

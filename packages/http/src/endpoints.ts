import { Hono } from 'hono'
import { notFound } from './common-errors.ts'
import type { FetchHandler, RequestContext } from './context.ts'
import { type CorsOptions, createCors } from './cors.ts'
import { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'

/** Answers a request. @param params the named parts of the path, decoded */
export type EndpointHandler = (
  context: RequestContext,
  params: Readonly<Record<string, string>>,
) => Promise<Response> | Response

/** One path and what it does. */
export interface Endpoint {
  /** From the root. `:name` stands for one part, `*` at the end for all that follows. */
  readonly path: string
  /** By method. `GET` answers `HEAD` too, where the body of its answer is dropped. */
  readonly methods: Readonly<Record<string, EndpointHandler>>
}

/** How {@link createEndpoints} works. */
export interface EndpointsOptions extends ProblemOptions {
  /** The first one whose path fits answers. */
  readonly endpoints: readonly Endpoint[]
  /** The paths that are ours, endpoint or not: each with all below it; one with a final slash only what is below it. */
  readonly paths: readonly string[]
  /** Is awaited before an endpoint answers. */
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
  const app = new Hono<{ Bindings: { context: RequestContext } }>()
  for (const { path, methods } of endpoints) {
    const own = Object.keys(methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const allow = cors ? [...own, 'OPTIONS'] : own
    app.all(path, async (c) => {
      const { context } = c.env
      const { method } = context.request
      if (cors && method === 'OPTIONS') return cors.preflight(context.request, allow)
      const handler = own.includes(method) ? methods[method === 'HEAD' ? 'GET' : method] : undefined
      if (!handler) throw methodNotAllowed(allow)
      await ready?.()
      return handler(context, c.req.param())
    })
  }
  app.notFound(() => problemResponse(notFound()))
  app.onError((error) => problemResponse(error, options))
  return {
    async fetch(request, context) {
      const response = await answer(app, { ...context, request }, options)
      return cors ? cors.share(request, response) : response
    },
    handles(request) {
      const path = pathOf(request)
      return paths.some((ours) => path === ours || path.startsWith(ours.endsWith('/') ? ours : `${ours}/`))
    },
  }
}

/** Hono hands on what is thrown and no `Error`. */
async function answer(
  app: Hono<{ Bindings: { context: RequestContext } }>,
  context: RequestContext,
  options: ProblemOptions,
): Promise<Response> {
  try {
    return await app.fetch(context.request, { context })
  } catch (error) {
    return problemResponse(error, options)
  }
}

function pathOf(request: Request | URL | string): string {
  if (request instanceof URL) return request.pathname
  return new URL(typeof request === 'string' ? request : request.url, 'http://localhost').pathname
}

import { Hono } from 'hono'
import { notFound } from '../core/errors.ts'
import type { RequestContext } from './context.ts'
import { type CorsOptions, createCors } from './cors.ts'
import type { Endpoint } from './endpoint.ts'
import type { OpenApiSource } from './openapi.ts'
import { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'
import { sentPath } from './sent-path.ts'

/** Options of {@link createEndpoints}. */
export interface EndpointsOptions extends ProblemOptions, Omit<OpenApiSource, 'name'> {
  /** The first path that matches answers. */
  readonly endpoints: readonly Endpoint[]
  /**
   * Paths that the handler answers even without an endpoint, with all paths below; a final slash
   * excludes the path itself.
   */
  readonly paths: readonly string[]
  /** Awaited before an endpoint answers, except for static ones. */
  readonly ready?: () => Promise<void>
  /** @default other origins may read nothing */
  readonly cors?: CorsOptions | undefined
}

/** The endpoints of a component. */
export interface Endpoints extends Omit<OpenApiSource, 'name'> {
  /** See {@link EndpointsOptions.paths}. */
  readonly paths: readonly string[]
  /** Returns true if the path of a request is one of these, or below one. */
  handles(request: Request | URL | string): boolean
  /** Answers a request. Never rejects: errors become problem details. */
  respond(context: RequestContext): Promise<Response>
}

/**
 * Creates the answers of endpoints. It answers 404 `not_found` and 405 `method_not_allowed` before
 * any other check, `HEAD`, `OPTIONS` with CORS, and every error as problem details.
 *
 * @throws ConfigurationError for wrong `cors`
 *
 * @example
 * createEndpoints({
 *   paths: ['/notes'],
 *   endpoints: [getNote, deleteNote],
 * })
 */
export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { endpoints, paths, ready, schemas = {}, securitySchemes = {} } = options
  const cors = options.cors === undefined ? null : createCors(options.cors)
  // Without this option, Hono decodes a path before it compares the fixed parts of routes.
  const app = new Hono<{ Bindings: { context: RequestContext } }>({ getPath: pathOf })
  const byPath = new Map<string, Map<string, Endpoint>>()
  for (const route of endpoints)
    byPath.set(route.path, (byPath.get(route.path) ?? new Map()).set(route.method, route))
  const isOtherSpelling = (path: string): boolean => !byPath.has(path) && byPath.has(decoded(path))
  for (const [path, methods] of byPath) {
    const own = [...methods.keys()].flatMap((method) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    )
    const allow = cors ? [...own, 'OPTIONS'] : own
    app.all(path, async (c) => {
      const { context } = c.env
      const { method } = context.request
      if (isOtherSpelling(c.req.path)) throw notFound()
      if (cors && method === 'OPTIONS') return cors.preflight(context.request, allow)
      const route = methods.get(method === 'HEAD' ? 'GET' : method)
      if (!route) throw methodNotAllowed(allow)
      if (!route.isStatic) await ready?.()
      return route.respond(context, c.req.param())
    })
  }
  app.notFound(() => problemResponse(notFound()))
  app.onError((error) => {
    throw error
  })
  return {
    ...{ paths, endpoints, schemas, securitySchemes },
    async respond(context) {
      let response: Response
      try {
        response = await app.fetch(routable(context.request), { context })
      } catch (error) {
        response = problemResponse(error, options)
      }
      response = withoutSniffing(response)
      return cors ? cors.share(context.request, response) : response
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
 * Returns a request that Hono can route. Its router looks methods up in plain objects and writes on
 * what it finds, so that `__proto__`, which HTTP/2 lets through, would change every object of the
 * process. Our endpoints read the method of their context.
 */
function routable(request: Request): Request {
  return /^[A-Z]+$/.test(request.method) ? request : new Request(request.url, { method: 'POST' })
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

import {
  type FetchHandler,
  methodNotAllowed,
  problemResponse,
  QuillgateError,
  type RequestContext,
} from '@quillgate/http'
import { type Context, Hono } from 'hono'
import { createAssetsRoute } from './assets-route.ts'
import type { RouteDependencies } from './dependencies.ts'
import { createFinalizeRoute } from './finalize-route.ts'
import { createMediaRoute } from './media-route.ts'
import { createUploadRoute } from './upload-route.ts'

/** What the routes find in Hono's environment: pass it as `routes.fetch(request, { context })`. */
interface RouteEnvironment {
  Bindings: { context: RequestContext }
}

type Route = (context: RequestContext) => Promise<Response>

const READ = ['GET', 'HEAD']

/** The endpoints as a Hono router; {@link createFetchHandler} is what applications get. */
export function createRoutes(deps: RouteDependencies): Hono<RouteEnvironment> {
  const { basePath, settings } = deps
  return new Hono<RouteEnvironment>()
    .all(`${basePath}/upload`, route(['POST'], createUploadRoute(deps)))
    .all(`${basePath}/finalize`, route(['POST'], createFinalizeRoute(deps)))
    .all(`${basePath}/assets/*`, route(READ, createAssetsRoute(deps)))
    .all(`${settings.mediaUrl}*`, route(READ, createMediaRoute(deps)))
    .notFound(() => problemResponse(new QuillgateError('not_found', 404, 'There is nothing at this address.')))
    .onError((error) => problemResponse(error, deps))
}

/** The endpoints as adapters want them. */
export function createFetchHandler(deps: RouteDependencies): FetchHandler {
  const routes = createRoutes(deps)
  const ours = [`${deps.basePath}/`, deps.settings.mediaUrl]
  return {
    async fetch(request, context) {
      try {
        await deps.ready?.()
        return await routes.fetch(request, { context: { ...context, request } })
      } catch (error) {
        return problemResponse(error, deps)
      }
    },
    handles: (request) => ours.some((path) => pathOf(request).startsWith(path)),
  }
}

/** Checks the method first, before anything else is looked at. */
function route(methods: readonly string[], answer: Route): (c: Context<RouteEnvironment>) => Promise<Response> {
  return (c) => {
    if (!methods.includes(c.req.raw.method)) throw methodNotAllowed(methods)
    return answer(c.env.context)
  }
}

function pathOf(request: Request | URL | string): string {
  if (request instanceof URL) return request.pathname
  return new URL(typeof request === 'string' ? request : request.url, 'http://localhost').pathname
}

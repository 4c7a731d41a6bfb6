import { notFound } from '../core/errors.ts'
import type { RequestContext } from './context.ts'
import { type CorsOptions, createCors } from './cors.ts'
import type { Endpoint } from './endpoint.ts'
import type { OpenApiSource } from './openapi.ts'
import { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'
import { sentPath } from './sent-path.ts'

/** Options of {@link createEndpoints}. */
export interface EndpointsOptions extends ProblemOptions, Omit<OpenApiSource, 'name'> {
  readonly endpoints: readonly Endpoint[]
  /** The paths of the component, with all paths under them. `/a/` does not include `/a`. */
  readonly paths: readonly string[]
  /** Endpoints wait for this function before they answer. Static endpoints do not wait. */
  readonly ready?: () => Promise<void>
  /** The other origins that can read the responses. The default is no other origin. */
  readonly cors?: CorsOptions | undefined
}

/** The endpoints of a component. */
export interface Endpoints extends Omit<OpenApiSource, 'name'> {
  readonly paths: readonly string[]
  /** Returns true for each of `paths`, and for all paths under them. */
  handles(request: Request | URL | string): boolean
  /** Answers a request. Never rejects, because errors become problem details. */
  respond(context: RequestContext): Promise<Response>
}

/**
 * Creates the router of endpoints. It answers 404 for an unknown path and 405 for an unsupported
 * method before any other check. It also answers `HEAD`, and `OPTIONS` if `cors` is given.
 *
 * @throws ConfigurationError for wrong `cors`
 *
 * @example
 * createEndpoints({ paths: ['/notes'], endpoints: [getNote, deleteNote] })
 */
export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { endpoints, paths, ready, schemas = {}, securitySchemes = {} } = options
  const cors = options.cors === undefined ? null : createCors(options.cors)
  const routes = routesOf(endpoints)
  const answer = async (context: RequestContext): Promise<Response> => {
    const { method, url } = context.request
    const path = new URL(url).pathname
    const route = findRoute(routes, path)
    // Rejects encoded spellings of a path, because the rules of a proxy would not match them.
    if (!route || route !== findRoute(routes, decoded(path))) throw notFound()
    const allow = [...route.methods.keys(), ...(cors ? ['OPTIONS'] : [])]
    if (cors && method === 'OPTIONS') return cors.preflight(context.request, allow)
    const endpoint = route.methods.get(method)
    if (!endpoint) throw methodNotAllowed(allow)
    if (!endpoint.isStatic) await ready?.()
    return endpoint.respond(context, paramsOf(route, path))
  }
  return {
    ...{ paths, endpoints, schemas, securitySchemes },
    async respond(context) {
      let response: Response
      try {
        response = await answer(context)
      } catch (error) {
        response = problemResponse(error, options)
      }
      response = complete(context.request, response)
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

interface Route {
  readonly pattern: RegExp
  readonly methods: Map<string, Endpoint>
}

function routesOf(endpoints: readonly Endpoint[]): readonly Route[] {
  const routes = new Map<string, Route>()
  for (const endpoint of endpoints) {
    const { path, method } = endpoint
    const route: Route = routes.get(path) ?? { pattern: patternOf(path), methods: new Map() }
    route.methods.set(method, endpoint)
    if (method === 'GET') route.methods.set('HEAD', endpoint)
    routes.set(path, route)
  }
  return [...routes.values()]
}

function patternOf(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace(/\*$/, '.*')
  return new RegExp(`^${source}$`, 's')
}

function findRoute(routes: readonly Route[], path: string): Route | undefined {
  return routes.find(({ pattern }) => pattern.test(path))
}

// Returns the named segments of a path, decoded. Does not decode an incorrectly encoded segment.
function paramsOf({ pattern }: Route, path: string): Readonly<Record<string, string>> {
  const parts = Object.entries(pattern.exec(path)?.groups ?? {})
  return Object.fromEntries(parts.map(([name, part]) => [name, decoded(part, decodeURIComponent)]))
}

const NO_SNIFF = 'x-content-type-options'

function complete({ method }: Request, response: Response): Response {
  if (method === 'HEAD') response.body?.cancel().catch(() => {})
  else if (response.headers.get(NO_SNIFF) === 'nosniff') return response
  // Creates a new response, because some responses have immutable headers.
  const answer = new Response(method === 'HEAD' ? null : response.body, response)
  answer.headers.set(NO_SNIFF, 'nosniff')
  return answer
}

function pathOf(request: Request | URL): string {
  return request instanceof URL ? request.pathname : new URL(request.url).pathname
}

// The default, `decodeURI`, does not decode reserved characters such as slashes.
function decoded(text: string, decode: (text: string) => string = decodeURI): string {
  try {
    return decode(text)
  } catch {
    return text
  }
}

import { boolean, listOf, origin, whole } from '../core/checks.ts'
import { ConfigurationError } from '../core/errors.ts'
import { field, type Input, Problem, parse, required } from '../core/schema.ts'

const CORS_OPTIONS = {
  /** Exact origins such as `https://app.example.com`, or `'*'` alone for all origins. */
  origins: required(origins),
  /**
   * If true, pages of these origins may send cookies and read the responses. Must be false for the
   * origin `'*'`.
   */
  credentials: field(boolean, false),
  /** Seconds for which browsers may cache the response to a preflight request. */
  maxAge: field(whole(0, undefined, 'seconds'), 600),
}

/**
 * The other origins whose pages may call the endpoints
 * (https://fetch.spec.whatwg.org/#http-cors-protocol), for example with `Authorization: Bearer`.
 * Requests that use cookies and change data must still have a CSRF token and come from our origin.
 */
export type CorsOptions = Input<typeof CORS_OPTIONS>

const REQUEST_HEADERS = 'authorization, content-type, dpop, x-csrf-token'
const RESPONSE_HEADERS = 'retry-after, www-authenticate'

/** Creates the functions that handle cross-origin requests. @throws ConfigurationError */
export function createCors(options: CorsOptions) {
  const { origins, credentials, maxAge } = parse(CORS_OPTIONS, options, 'cors')
  const isPublic = origins.includes('*')
  if (isPublic && credentials)
    throw new ConfigurationError('cors.credentials', 'must be false if cors.origins contains "*"')
  const isListed = (origin: string | null): origin is string =>
    origin !== null && (isPublic || origins.includes(origin))
  return {
    /** Returns the response to an `OPTIONS` request. Pass the response to `share` too. */
    preflight(request: Request, methods: readonly string[]): Response {
      const allow = methods.join(', ')
      const headers = new Headers({ allow, 'cache-control': 'no-store' })
      if (isListed(request.headers.get('origin'))) {
        headers.set('access-control-allow-methods', allow)
        headers.set('access-control-allow-headers', REQUEST_HEADERS)
        headers.set('access-control-max-age', String(maxAge))
      }
      return new Response(null, { status: 204, headers })
    },
    /** Adds the headers that allow a listed origin to read the response. */
    share(request: Request, response: Response): Response {
      const shared = new Response(response.body, response) // Some responses have immutable headers.
      const { headers } = shared
      const asked = request.headers.get('origin')
      if (isListed(asked)) {
        headers.set('access-control-allow-origin', isPublic ? '*' : asked)
        headers.set('access-control-expose-headers', RESPONSE_HEADERS)
        if (credentials) headers.set('access-control-allow-credentials', 'true')
      }
      // Responses to requests without `Origin` need `vary` too. Otherwise, a cache could reuse such
      // a response for other origins.
      if (!isPublic) headers.append('vary', 'origin')
      return shared
    },
  }
}

function origins(value: unknown): readonly string[] | Problem {
  if (!Array.isArray(value) || value.length === 0)
    return new Problem('must be a list of origins such as "https://app.example.com"', value)
  if (!value.includes('*')) return listOf(origin)(value)
  return value.length === 1 ? ['*'] : new Problem('must be ["*"], or a list of origins without "*"')
}

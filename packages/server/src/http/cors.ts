import { checkedElsewhere, checkOptions, mustBeBoolean } from '../core/check-options.ts'
import { ConfigurationError } from '../core/errors.ts'
import { parseOrigin } from '../core/origin.ts'

/**
 * Which other origins may call the endpoints from a browser (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
 * It is meant for clients with `Authorization: Bearer`: changes that are authenticated by cookies still need the CSRF
 * token and our own origin.
 */
export interface CorsOptions {
  /** Exact origins such as `https://app.example.com`, or `'*'` alone for all of them. */
  readonly origins: readonly string[]
  /** True: pages of these origins may read what cookies give access to. Not with `'*'`. @default false */
  readonly credentials?: boolean
  /** Seconds for which a browser remembers what it may send. @default 600 */
  readonly maxAge?: number
}

/** What {@link createCors} gives. */
export interface Cors {
  /** The answer to `OPTIONS`; pass it to `share` as well. @param methods those of the endpoint */
  preflight(request: Request, methods: readonly string[]): Response
  /** The answer, with the headers that let a listed origin read it. Another origin gets none. */
  share(request: Request, response: Response): Response
}

const REQUEST_HEADERS = 'authorization, content-type, dpop, x-csrf-token'
const RESPONSE_HEADERS = 'retry-after, www-authenticate'

/** Checks the options. @throws ConfigurationError */
export function createCors(options: CorsOptions): Cors {
  const { origins, credentials, maxAge } = checkCors(options)
  const isPublic = origins.includes('*')
  const isListed = (origin: string | null): origin is string =>
    origin !== null && (isPublic || origins.includes(origin))
  return {
    preflight(request, methods) {
      const allow = methods.join(', ')
      const headers = new Headers({ allow, 'cache-control': 'no-store' })
      if (isListed(request.headers.get('origin'))) {
        headers.set('access-control-allow-methods', allow)
        headers.set('access-control-allow-headers', REQUEST_HEADERS)
        headers.set('access-control-max-age', String(maxAge))
      }
      return new Response(null, { status: 204, headers })
    },
    share(request, response) {
      const shared = new Response(response.body, response) // Some responses have immutable headers.
      const { headers } = shared
      const origin = request.headers.get('origin')
      if (isListed(origin)) {
        headers.set('access-control-allow-origin', isPublic ? '*' : origin)
        headers.set('access-control-expose-headers', RESPONSE_HEADERS)
        if (credentials) headers.set('access-control-allow-credentials', 'true')
      }
      // Also for requests without an origin: a cache could else give their answer to others.
      if (!isPublic) headers.append('vary', 'origin')
      return shared
    },
  }
}

function checkCors(options: CorsOptions): Required<CorsOptions> {
  const checks = { origins: checkedElsewhere, credentials: mustBeBoolean, maxAge: mustBeAge }
  checkOptions<CorsOptions>(options, checks, ['origins'], 'cors')
  const { origins, credentials = false, maxAge = 600 } = options
  if (!Array.isArray(origins) || origins.length === 0) {
    throw new ConfigurationError(
      'cors.origins',
      'must be a list of origins such as "https://app.example.com"',
      origins,
    )
  }
  if (!origins.includes('*')) {
    return {
      origins: origins.map((origin) => parseOrigin(origin, 'cors.origins')),
      credentials,
      maxAge,
    }
  }
  if (origins.length > 1)
    throw new ConfigurationError('cors.origins', 'must be "*" alone, or a list without it')
  if (credentials)
    throw new ConfigurationError('cors.credentials', 'must be false where all origins are allowed')
  return { origins, credentials, maxAge }
}

function mustBeAge(value: unknown, name: string): void {
  if (!Number.isSafeInteger(value) || Number(value) < 0) {
    throw new ConfigurationError(name, 'must be a whole number of seconds, 0 or more', value)
  }
}

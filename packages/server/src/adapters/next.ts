import { type AnswerCookies, createAnswerCookies, noCookies } from '../http/answer-cookies.ts'
import type { RequestContext } from '../http/context.ts'
import { isWebRequest, openContext, type RequestKind } from '../http/request-contexts.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'

/** A route handler of Next. */
export type NextHandler = (request: Request) => Promise<Response>

/** The methods of a route in Next's app router. */
export interface NextHandlers {
  readonly GET: NextHandler
  readonly HEAD: NextHandler
  readonly POST: NextHandler
  readonly PUT: NextHandler
  readonly PATCH: NextHandler
  readonly DELETE: NextHandler
  readonly OPTIONS: NextHandler
}

/** `await cookies()` of Next, described by what we use of it. */
interface CookieStore {
  set(cookie: { name: string; value: string } & CookieAttributes): unknown
}

interface CookieAttributes {
  path?: string
  domain?: string
  maxAge?: number
  expires?: Date
  httpOnly?: boolean
  secure?: boolean
  sameSite?: 'lax' | 'strict' | 'none'
  partitioned?: boolean
}

/**
 * Returns the route handlers that put an application object into a Next application, for a
 * catch-all route such as `app/[...path]/route.ts`. Your own pages and routes come first. Call it
 * in the file that creates the application object, because pages import that file.
 *
 * Calls accept these values of Next:
 *
 * - In a route handler, the request. Answer with `gate.respond(request, response)`, which adds the
 *   cookies.
 * - In a server component, `await headers()`. It cannot set cookies, so `authenticate` renews no
 *   session, and `login` throws.
 * - In a server action, `{ headers: await headers(), cookies: await cookies() }`.
 *
 * Next does not show the address of the socket. Put a proxy in front that overwrites
 * `x-forwarded-for`, and set `trustedProxies: ['unix']`. Without it, clients cannot be told apart.
 *
 * @example
 * // quillgate.ts
 * export const gate = createQuillgate({ secret, database, trustedProxies: ['unix'] })
 * export const handlers = mount(gate)
 * // app/[...path]/route.ts
 * export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handlers
 */
export function mount(gate: Quillgate): NextHandlers {
  checkGate(gate, 'mount')
  const { contexts, start } = gate.parts
  contexts.accept(nextRequests)
  start()
  const handle: NextHandler = (request) =>
    gate.fetch(withHost(request), { native: request, address: SERVER })
  return {
    GET: handle,
    HEAD: handle,
    POST: handle,
    PUT: handle,
    PATCH: handle,
    DELETE: handle,
    OPTIONS: handle,
  }
}

/** Next's own server is in front of the handlers, like a proxy that uses a Unix socket. */
const SERVER = 'unix'

const nextRequests: RequestKind = {
  keyOf: (value) => (isWebRequest(value) || headersOf(value) ? value : null),
  open(key) {
    if (isWebRequest(key)) return openContext(withHost(key, null), { native: key, address: SERVER })
    return openHeaders(key)
  },
}

/** Opens `await headers()`, or an object with `headers` and `cookies`. */
function openHeaders(key: object): RequestContext {
  const headers = new Headers(headersOf(key) ?? {})
  const { cookies } = key as { readonly cookies?: CookieStore }
  const url = `http://${headers.get('host') ?? 'localhost'}/`
  const request = new Request(url, { headers })
  return openContext(
    request,
    { native: key, address: SERVER },
    cookies ? cookiesIn(cookies) : noCookies,
  )
}

function headersOf(value: object): Headers | null {
  const { headers = value } = value as { readonly headers?: object }
  const { get, getSetCookie } = headers as Partial<Headers>
  return typeof get === 'function' && typeof getSetCookie === 'function'
    ? (headers as Headers)
    : null
}

/**
 * Next puts the name of its own server into the URL. Checks of the origin need the host that the
 * client used.
 */
function withHost(request: Request, body: Request['body'] = request.body): Request {
  const url = new URL(request.url)
  const host = request.headers.get('host')
  if (host !== null) url.host = host
  const { method, headers, signal } = request
  return new Request(url, { method, headers, signal, body, duplex: 'half' })
}

/** The cookies of a server action. Next sends them with its answer, which no cache keeps. */
function cookiesIn(store: CookieStore): AnswerCookies {
  return {
    ...createAnswerCookies(),
    set: (cookie) => void store.set(parseSetCookie(cookie)),
  }
}

function parseSetCookie(cookie: string): { name: string; value: string } & CookieAttributes {
  const [pair = '', ...rest] = cookie.split('; ')
  const split = pair.indexOf('=')
  const attributes = new Map(
    rest.map((each) => {
      const [name = '', value = ''] = each.split('=')
      return [name.toLowerCase(), value]
    }),
  )
  const maxAge = attributes.get('max-age')
  const path = attributes.get('path')
  const domain = attributes.get('domain')
  const expires = attributes.get('expires')
  const sameSite = attributes.get('samesite')?.toLowerCase() as CookieAttributes['sameSite']
  return {
    name: pair.slice(0, split),
    value: decodeURIComponent(pair.slice(split + 1)), // Next encodes it again.
    httpOnly: attributes.has('httponly'),
    secure: attributes.has('secure'),
    partitioned: attributes.has('partitioned'),
    ...(path !== undefined && { path }),
    ...(domain !== undefined && { domain }),
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
    ...(expires !== undefined && { expires: new Date(expires) }),
    ...(sameSite && { sameSite }),
  }
}

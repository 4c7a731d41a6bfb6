import { bodyOf } from '../http/body.ts'
import {
  isWebRequest,
  openContext,
  type RequestContext,
  type RequestKind,
} from '../http/context.ts'
import { COOKIE_DEFAULTS, type ResponseCookie, ResponseCookies } from '../http/response-cookies.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'

/** A route handler for Next. */
export type NextHandler = (request: Request) => Promise<Response>

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

type Handlers = Readonly<Record<(typeof METHODS)[number], NextHandler>>

/** The part of Next's `await cookies()` that this adapter uses. */
interface CookieStore {
  set(cookie: Omit<ResponseCookie, 'isRenewal'> & Omit<typeof COOKIE_DEFAULTS, 'httpOnly'>): unknown
}

/**
 * Returns the handlers of a catch-all route of Next, such as `app/[...path]/route.ts`. Call `mount`
 * in the file that creates `gate`. Before this call, `gate` does not accept the requests of Next.
 *
 * Calls such as `devices.authenticate(request)` accept these values as the request:
 *
 * - In a route handler, its request. Return `gate.respond(request, response)`, which adds the
 *   cookies to the response.
 * - In a server component, `await headers()`. A server component cannot set cookies, so
 *   `authenticate` renews no session, and `login` throws.
 * - In a server action, `{ headers: await headers(), cookies: await cookies() }`.
 *
 * Next does not expose the address of the client. In front of Next, use a proxy that overwrites
 * `x-forwarded-for`, and set `trustedProxies: ['unix']`. Without the proxy and the option, all
 * clients share one unknown address.
 *
 * @example
 * // quillgate.ts
 * export const gate = createQuillgate({ secret, database, trustedProxies: ['unix'] })
 * export const handlers = mount(gate)
 * // app/[...path]/route.ts
 * export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handlers
 */
export function mount(gate: Quillgate): Handlers {
  checkGate(gate, 'mount')
  const { components, contexts } = gate.parts
  contexts.accept(nextRequests)
  components.start()
  const handle: NextHandler = (request) =>
    gate.fetch(withHost(request), { native: request, address: SERVER })
  return Object.fromEntries(METHODS.map((method) => [method, handle])) as Handlers
}

// The remote address of all requests. Next does not expose the real address, so the server of Next
// is treated like a proxy that connects through a Unix socket.
const SERVER = 'unix'

const nextRequests: RequestKind = {
  keyOf: (value) => (isWebRequest(value) || headersOf(value) ? value : null),
  open(key) {
    if (!isWebRequest(key)) return openHeaders(key)
    const request = withHost(key, key.body && ReadableStream.from(laterBody(key)))
    return openContext(request, { native: key, address: SERVER })
  },
}

// The key is `await headers()`, or an object with `headers` and `cookies`.
function openHeaders(key: object): RequestContext {
  const headers = new Headers(headersOf(key) ?? {})
  const { cookies } = key as { readonly cookies?: CookieStore }
  const url = `http://${headers.get('host') ?? 'localhost'}/`
  const request = new Request(url, { headers })
  return openContext(
    request,
    { native: key, address: SERVER },
    cookies ? new ActionCookies(cookies) : new ResponseCookies({ areHeadersSent: () => true }),
  )
}

function headersOf(value: object): Headers | null {
  const { headers = value } = value as { readonly headers?: object }
  const { get, getSetCookie } = headers as Partial<Headers>
  return typeof get === 'function' && typeof getSetCookie === 'function'
    ? (headers as Headers)
    : null
}

// Replaces the host in the URL, because Next passes the host of its own server. Checks of the
// origin need the host that the client used.
function withHost(request: Request, body: Request['body'] = request.body): Request {
  const url = new URL(request.url)
  const host = request.headers.get('host')
  if (host !== null) url.host = host
  const { method, headers, signal } = request
  return new Request(url, { method, headers, signal, body, duplex: 'half' })
}

// Only `readForm` reads the body. In all other routes, the application can read the body itself.
async function* laterBody(request: Request): AsyncGenerator<Uint8Array> {
  yield* bodyOf(request)
}

// Passes each cookie to Next immediately. Also passes session renewals, which responses for shared
// caches omit, because caches do not store the responses of server actions.
class ActionCookies extends ResponseCookies {
  readonly #store: CookieStore

  constructor(store: CookieStore) {
    super()
    this.#store = store
  }

  override set({ isRenewal: _, ...cookie }: ResponseCookie): void {
    this.#store.set({ ...COOKIE_DEFAULTS, ...cookie })
  }
}

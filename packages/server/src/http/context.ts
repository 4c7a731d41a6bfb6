import { ConfigurationError } from '../core/errors.ts'
import type { UserId } from '../core/user-id.ts'
import { ResponseCookies } from './response-cookies.ts'

/** Information about the connection of a request, from the server or the framework. */
export interface ConnectionInfo {
  /** The remote address of the socket, or `unix` for a Unix socket. Headers are not used. */
  readonly address?: string | undefined
  /**
   * Returns true if the framework's own configuration, such as `trust proxy` of Express, trusts a
   * proxy. The function is called only if the option `trustedProxies` is missing.
   *
   * @param address undefined for a Unix socket
   * @param hop 0 for the remote address of the socket, 1 for the nearest address that a proxy wrote
   */
  readonly trustProxy?: (address: string | undefined, hop: number) => boolean
  /** The framework's own request object. The application's `authenticate` can use it. */
  readonly native?: unknown
}

/** A web request with information about its connection. */
export interface IncomingRequest extends ConnectionInfo {
  /** The origin in the URL may be wrong. `Network.origin` returns the real origin. */
  readonly request: Request
}

/** A request with the cookies of its response. All calls for one request share one context. */
export interface RequestContext extends IncomingRequest {
  readonly cookies: ResponseCookies
  /** The CSRF session. Set when a token is created, and at a sign-in or sign-out. */
  csrf?: {
    readonly id: string
    /** The id of the session before a sign-in or sign-out in this request, if there was one. */
    readonly previous: string | null
  }
}

/** The signed-in user of a request. */
export interface Authentication {
  readonly user: { readonly id: UserId }
  /** True if a bearer token identifies the user. Then no CSRF token is needed. */
  readonly isBearer: boolean
}

/** The requests of one framework. Adapters implement this interface. */
export interface RequestKind {
  /** Returns the object that identifies a request, or null for any other value. */
  keyOf(value: object): object | null
  /**
   * Creates the context of a new request.
   *
   * @throws ConfigurationError if the request did not pass through `mount(gate)`
   */
  open(key: object): RequestContext
}

const NO_REQUEST =
  'needs a web Request, or a request of a framework in which Quillgate is mounted, for example with app.use(mount(gate))'

/** Creates the contexts of requests, and finds the context of a request again. */
export class RequestContexts {
  readonly #contexts = new WeakMap<object, RequestContext>()
  readonly #kinds = new Set<RequestKind>()

  accept(kind: RequestKind): void {
    this.#kinds.add(kind)
  }

  /** Creates the context of a web request. @param options.keys other objects for this request */
  open(
    request: Request,
    connection?: ConnectionInfo,
    { keys = [], cookies }: { keys?: readonly object[]; cookies?: ResponseCookies } = {},
  ): RequestContext {
    return this.#remember([request, ...keys], openContext(request, connection, cookies))
  }

  /**
   * Returns the context of a web `Request` or a framework's request. Returns a context unchanged.
   *
   * @param call name of the calling function, for the error
   * @throws ConfigurationError for any other value
   */
  of(value: unknown, call: string): RequestContext {
    const context = typeof value === 'object' && value !== null ? this.#find(value) : undefined
    if (context) return context
    throw new ConfigurationError(call, NO_REQUEST)
  }

  #find(value: object): RequestContext | undefined {
    const known = this.#contexts.get(value)
    if (known) return known
    for (const kind of this.#kinds) {
      const key = kind.keyOf(value)
      if (key) return this.#contexts.get(key) ?? this.#remember([key], kind.open(key))
    }
    return isWebRequest(value) ? this.open(value) : undefined
  }

  #remember(keys: readonly object[], context: RequestContext): RequestContext {
    // The context is a key too, because an application's `authenticate` may pass it to our methods.
    for (const each of [...keys, context.request, context]) this.#contexts.set(each, context)
    return context
  }
}

/** Creates the context of a request. By default, the list of cookies is empty. */
export function openContext(
  request: Request,
  connection: ConnectionInfo = {},
  cookies: ResponseCookies = new ResponseCookies(),
): RequestContext {
  return { ...connection, request, cookies }
}

/** Returns true for a `Request`, even if it comes from another realm or a polyfill. */
export function isWebRequest(value: object): value is Request {
  const { headers, url } = value as { headers?: { get?: unknown }; url?: unknown }
  return typeof headers?.get === 'function' && typeof url === 'string'
}

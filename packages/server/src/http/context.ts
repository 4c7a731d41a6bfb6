import { ConfigurationError } from '../core/errors.ts'

/**
 * One request as Quillgate sees it. Framework adapters make it (`fromExpress(req)`, `fromNode(req)`); tests and
 * fetch-style frameworks write it by hand: `{ request }`.
 */
export interface RequestContext {
  /** The web request. Its URL is what the framework believes; use the origin resolver for the real one. */
  readonly request: Request
  /** Address of the socket's other end, before any proxy header is looked at; `unix` for a Unix socket. */
  readonly address?: string
  /**
   * The framework's own configuration of trusted proxies, such as `trust proxy` of Express. It counts when the option
   * `trustedProxies` is not given.
   *
   * @param address undefined for a Unix socket
   * @param hop 0 for the socket's other end, 1 for the nearest address that a proxy wrote
   */
  readonly trustProxy?: (address: string | undefined, hop: number) => boolean
  /** The framework's own request object, for the application's `authenticate`. */
  readonly native?: unknown
}

/** Anything that answers web requests for a part of an application: both components, and compositions of them. */
export interface FetchHandler {
  /** Answers a request. Never rejects: errors become problem details. */
  fetch(request: Request, context?: Omit<RequestContext, 'request'>): Promise<Response>
  /** True when the path of this request belongs to this handler, so that an adapter at the root can pass on the rest. */
  handles(request: Request | URL | string): boolean
  /** Begins the start-up that the first request would wait for, and logs why it fails. Adapters call it when they mount. */
  start?(): void
}

/**
 * Checks that a call got a context, for JavaScript and what a framework calls its request.
 *
 * @param call name of the call, for the error
 * @throws ConfigurationError that says how to make one
 */
export function requireContext(value: unknown, call: string): void {
  if (isRequest((value as Partial<RequestContext> | null | undefined)?.request)) return
  const hint = isRequest(value) ? ' (got the request itself)' : ''
  throw new ConfigurationError(
    call,
    `needs the context of a request: { request }, fromExpress(req) or fromNode(req)${hint}`,
  )
}

/** Of any realm and any library. */
function isRequest(value: unknown): boolean {
  const { headers, url } = (value ?? {}) as {
    readonly headers?: { readonly get?: unknown }
    readonly url?: unknown
  }
  return typeof headers?.get === 'function' && typeof url === 'string'
}

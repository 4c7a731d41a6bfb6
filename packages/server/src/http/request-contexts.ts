import { ConfigurationError } from '../core/errors.ts'
import { type AnswerCookies, createAnswerCookies } from './answer-cookies.ts'
import type { Connection, RequestContext } from './context.ts'

/** The requests of one framework. An adapter makes it. */
export interface RequestKind {
  /**
   * Returns the object that identifies the request, or null if the value is no request of this
   * framework.
   */
  keyOf(value: object): object | null
  /**
   * Makes the context of a request that was not seen before. @throws ConfigurationError if that is
   * not possible
   */
  open(key: object): RequestContext
}

/** The contexts of the requests of an application object. */
export interface RequestContexts {
  /** Accepts the requests of a framework. */
  accept(kind: RequestKind): void
  /** Remembers the context of a web request. Later calls with that request get it. */
  open(request: Request, connection?: Connection, cookies?: AnswerCookies): RequestContext
  /**
   * Returns the context of a request: of a framework that was mounted, a web `Request`, or a
   * context itself.
   *
   * @param call name of the call, for the error
   * @throws ConfigurationError if the value is no such request
   */
  of(value: unknown, call: string): RequestContext
}

/** Makes a context. @param cookies by default those of an answer that is not sent yet */
export function openContext(
  request: Request,
  connection: Connection = {},
  cookies: AnswerCookies = createAnswerCookies(),
): RequestContext {
  return { ...connection, request, cookies, state: {} }
}

/** Creates the contexts of an application object. */
export function createRequestContexts(): RequestContexts {
  const contexts = new WeakMap<object, RequestContext>()
  const kinds: RequestKind[] = []
  const remember = (key: object, context: RequestContext): RequestContext => {
    contexts.set(key, context)
    contexts.set(context.request, context)
    contexts.set(context, context) // The application's `authenticate` gets a context, and passes it on.
    return context
  }
  const find = (value: object): RequestContext | undefined => {
    const known = contexts.get(value)
    if (known) return known
    for (const kind of kinds) {
      const key = kind.keyOf(value)
      if (key) return contexts.get(key) ?? remember(key, kind.open(key))
    }
    return isWebRequest(value) ? remember(value, openContext(value)) : undefined
  }
  return {
    accept(kind) {
      if (!kinds.includes(kind)) kinds.push(kind)
    },
    open: (request, connection, cookies) =>
      remember(request, openContext(request, connection, cookies)),
    of(value, call) {
      const context = typeof value === 'object' && value !== null ? find(value) : undefined
      if (context) return context
      throw new ConfigurationError(
        call,
        'needs the request of a framework that was mounted, such as app.use(mount(gate)), or a web Request',
      )
    },
  }
}

/** Accepts a Request from any realm or polyfill. */
export function isWebRequest(value: object): value is Request {
  const { headers, url } = value as { headers?: { get?: unknown }; url?: unknown }
  return typeof headers?.get === 'function' && typeof url === 'string'
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { functionOf } from '../core/checks.ts'
import { notFound } from '../core/common-errors.ts'
import { ConfigurationError } from '../core/errors.ts'
import { type Input, optional, parse } from '../core/schema.ts'
import type { FetchHandler, RequestContext } from '../http/context.ts'
import { problemResponse } from '../http/problem.ts'
import { bodyOfHost } from './node-body.ts'
import { isHandled, malformedRequest, toWebRequest } from './node-request.ts'
import { guardBody, withoutBody } from './node-response.ts'

const LISTENER_OPTIONS = {
  /** Called for errors that the handler throws, and for answers that break off; the client is never told. */
  onUnexpected: optional(functionOf<(error: unknown) => void>()),
}

/** How a handler is put on a server. */
export type ListenerOptions = Input<typeof LISTENER_OPTIONS>

/** A listener for `node:http`, which is also a middleware for Express and Connect. */
export type NodeListener = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * The context of a request, for `authenticate`, `csrf` and `login` in the application's own handlers. Its web request
 * has no body: that one is the framework's to read.
 *
 * @throws QuillgateError 400 `malformed_request` when its URL or method cannot be represented
 *
 * @example
 * createServer(async (req, res) => {
 *   const session = await devices.authenticate(fromNode(req))
 * })
 */
export function fromNode(req: IncomingMessage): RequestContext {
  return { request: toWebRequest(req), ...connectionOf(req) }
}

/**
 * Puts a handler on a `node:http` server. Bodies are streamed both ways, at the speed of the slower side; the global
 * `Request` and `Response` are left alone. A path that is not the handler's goes to `next`, or is 404 `not_found`
 * without one. So does a path that a URL parser would change, such as `/./media/a.png`.
 *
 * A request whose client has closed the connection before it gets here is not handled: nobody would read the answer,
 * and limits could not count it for an address.
 *
 * The handler's start-up begins at once, in the background; the log says why it fails.
 *
 * Mount it before body parsers. JSON and simple forms that a parser in front has already read are made again; any other
 * body that was read is 500 `body_already_read` when the handler wants it.
 *
 * @throws ConfigurationError for a missing handler, or that names the wrong option
 *
 * @example
 * createServer(toNodeListener(editor)).listen(3000)
 */
export function toNodeListener(handler: FetchHandler, options: ListenerOptions = {}): NodeListener {
  checkHandler(handler, 'toNodeListener')
  const { onUnexpected } = parse(LISTENER_OPTIONS, options)
  handler.start?.()
  const listen = getRequestListener(
    async ({ signal }, { incoming, outgoing }) => {
      const req = incoming as IncomingMessage
      const res = outgoing as ServerResponse
      if (!isHandled(handler, req)) throw notFound()
      // Not the bridge's own light request: that one is no true `Request`, so `new Request(it)` fails.
      const request = toWebRequest(req, { body: bodyOfHost(req, res), signal })
      const response = await handler.fetch(request, connectionOf(req))
      return request.method === 'HEAD'
        ? withoutBody(response)
        : guardBody(response, res, onUnexpected)
    },
    {
      overrideGlobalObjects: false,
      hostname: 'localhost', // For HTTP/1.0 without a Host header, as in requestUrl.
      autoCleanupIncoming: false, // bodyOfHost does it, with patience for slow clients.
      errorHandler: (error) =>
        problemResponse(error instanceof RequestError ? malformedRequest(error) : error, options),
    },
  )
  return (req, res, next) => {
    if (next && !isOurs(handler, req)) next()
    else if (isGone(req)) req.socket.destroy()
    else void listen(req, res)
  }
}

/**
 * Checks a handler, for JavaScript and for an instance that is not created yet when it is mounted.
 *
 * @param caller the function that takes the handler
 * @throws ConfigurationError that names the caller
 */
export function checkHandler(handler: FetchHandler | null | undefined, caller: string): void {
  if (typeof handler?.fetch === 'function' && typeof handler.handles === 'function') return
  const wanted = 'must be an instance of a component, such as createMarkdownEditor(…) returns'
  throw new ConfigurationError(caller, wanted, handler ?? String(handler))
}

function connectionOf(req: IncomingMessage): Omit<RequestContext, 'request'> {
  const { remoteAddress, localAddress, destroyed } = req.socket
  // A TCP socket has a local address even if its client has gone.
  const address = remoteAddress ?? (localAddress === undefined && !destroyed ? 'unix' : undefined)
  return { native: req, ...(address === undefined ? {} : { address }) }
}

function isGone(req: IncomingMessage): boolean {
  return req.socket.destroyed || connectionOf(req).address === undefined
}

function isOurs(handler: FetchHandler, req: IncomingMessage): boolean {
  try {
    return isHandled(handler, req)
  } catch {
    return false
  }
}

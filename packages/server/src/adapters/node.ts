import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { notFound } from '../core/errors.ts'
import type { Connection } from '../http/context.ts'
import { problemResponse } from '../http/problem.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'
import { bodyOfHost } from './node-body.ts'
import { addressOf, connectionOf, nodeRequests, rememberExchange } from './node-exchange.ts'
import { isHandled, malformedRequest, toWebRequest } from './node-request.ts'
import { guardBody, withoutBody } from './node-response.ts'

/** A listener for `node:http`, which is also a middleware for Express and Connect. */
export type NodeListener = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Puts an application object on a `node:http` server. Requests for other paths go to `next`, or get
 * 404 `not_found` without it. Afterwards calls such as `devices.login(user, req)` accept the
 * request.
 *
 * Bodies are streamed both ways. Mount it in front of body parsers: JSON and simple forms that a
 * parser has read are restored, any other body is 500 `body_already_read`. A path that a URL parser
 * would change, such as `/./media/a.png`, is not handled. Neither is a request whose client has
 * closed the connection, because limits could not count it for an address.
 *
 * The components start in the background. The log says if they fail.
 *
 * @throws ConfigurationError without an application object
 *
 * @example
 * const handle = mount(gate)
 * createServer((req, res) => handle(req, res, () => answer(req, res))).listen(3000)
 */
export function mount(gate: Quillgate): NodeListener {
  const { accept, answer } = mountOn(gate)
  return (req, res, next) => {
    const isOurs = accept(req, res)
    if (next && !isOurs) next()
    else answer(req, res)
  }
}

/** How adapters for frameworks on top of `node:http` use an application object. */
export interface NodeMount {
  /**
   * Remembers a request, so that calls accept it. Returns true if a component answers its path.
   *
   * @param trustProxy the framework's own configuration of trusted proxies
   */
  accept(req: IncomingMessage, res: ServerResponse, trustProxy?: Connection['trustProxy']): boolean
  /** Answers a request. */
  answer(req: IncomingMessage, res: ServerResponse): void
}

/** Prepares an application object for requests of `node:http`, and starts it. */
export function mountOn(gate: Quillgate): NodeMount {
  checkGate(gate, 'mount')
  const { contexts, logger, start } = gate.parts
  contexts.accept(nodeRequests)
  start()
  const onUnexpected = (error: unknown): void => logger.error('An answer broke off.', error)
  const listen = getRequestListener(
    async ({ signal }, { incoming, outgoing }) => {
      const req = incoming as IncomingMessage
      const res = outgoing as ServerResponse
      if (!isHandled(gate, req)) throw notFound()
      // Not the light request of @hono/node-server, which `new Request(it)` does not accept.
      const request = toWebRequest(req, { body: bodyOfHost(req, res), signal })
      const response = await gate.fetch(request, connectionOf(req))
      return request.method === 'HEAD'
        ? withoutBody(response)
        : guardBody(response, res, onUnexpected)
    },
    {
      overrideGlobalObjects: false,
      hostname: 'localhost', // For HTTP/1.0 without a Host header, as in requestUrl.
      autoCleanupIncoming: false, // bodyOfHost does it, and waits for slow clients.
      errorHandler: (error) =>
        problemResponse(error instanceof RequestError ? malformedRequest(error) : error, {
          onUnexpected,
        }),
    },
  )
  return {
    accept(req, res, trustProxy) {
      rememberExchange(req, res, trustProxy)
      return isOurs(gate, req)
    },
    answer(req, res) {
      if (isGone(req)) req.socket.destroy()
      else void listen(req, res)
    },
  }
}

function isGone(req: IncomingMessage): boolean {
  return req.socket.destroyed || addressOf(req) === undefined
}

/** Returns true if a component answers the path of a request. */
export function isOurs(gate: Quillgate, req: IncomingMessage): boolean {
  try {
    return isHandled(gate, req)
  } catch {
    return false
  }
}

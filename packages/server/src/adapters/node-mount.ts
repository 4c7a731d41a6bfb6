import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import onHeaders from 'on-headers'
import { ConfigurationError, notFound } from '../core/errors.ts'
import {
  type ConnectionInfo,
  openContext,
  type RequestContext,
  type RequestKind,
} from '../http/context.ts'
import { problemResponse } from '../http/problem.ts'
import { ResponseCookies } from '../http/response-cookies.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'
import { bodyOfHost, laterBodyOfHost } from './node-body.ts'
import { isHandled, malformedRequest, toWebRequest } from './node-request.ts'
import { frameworkTrust, type TrustProxy } from './trust-proxy.ts'

/** Prepares `gate` for requests of `node:http`, and starts its components. */
export function mountOn(gate: Quillgate) {
  checkGate(gate, 'mount')
  const { components, contexts } = gate.parts
  contexts.accept(nodeRequests)
  components.start()
  const listen = getRequestListener(
    ({ signal }, { incoming, outgoing }) => {
      const req = incoming as IncomingMessage
      if (!isHandled(gate, req)) throw notFound()
      return answerFor(gate, req, outgoing as ServerResponse, { signal, ...connectionOf(req) })
    },
    {
      overrideGlobalObjects: false,
      hostname: 'localhost', // Used for HTTP/1.0 without a Host header.
      autoCleanupIncoming: false, // `bodyOfHost` discards unread bodies instead.
      errorHandler: (error) =>
        problemResponse(error instanceof RequestError ? malformedRequest(error) : error, {
          onUnexpected: logOf(gate),
        }),
    },
  )
  return {
    /** Stores the response of a request. Returns true if a component answers the path. */
    accept(req: IncomingMessage, res: ServerResponse, trustProxy = frameworkTrust(req)): boolean {
      exchanges.set(req, { res, trustProxy })
      return isOurs(gate, req)
    },
    answer(req: IncomingMessage, res: ServerResponse): void {
      if (req.socket.destroyed || addressOf(req) === undefined) req.socket.destroy()
      else void listen(req, res)
    },
  }
}

/** Returns true if a component answers the path. Returns false for a malformed request. */
export function isOurs(gate: Quillgate, req: IncomingMessage): boolean {
  try {
    return isHandled(gate, req)
  } catch {
    return false
  }
}

/** Answers a request. If the response fails after its first byte, closes the connection. */
export async function answerFor(
  gate: Quillgate,
  req: IncomingMessage,
  res: ServerResponse,
  { signal, ...connection }: ConnectionInfo & { readonly signal: AbortSignal },
): Promise<Response> {
  const onUnexpected = logOf(gate)
  try {
    // Throws for requests that `new Request(…)` rejects, such as TRACE.
    const request = toWebRequest(req, { body: bodyOfHost(req, res), signal })
    const response = await gate.fetch(request, connection)
    if (req.method !== 'HEAD') return await guardBody(response, res, onUnexpected)
    await response.body?.cancel()
    return new Response(null, response)
  } catch (error) {
    return problemResponse(error, { onUnexpected })
  }
}

function logOf({ parts }: Quillgate): (error: unknown) => void {
  return (error) => parts.logger.error('A response could not be sent completely.', error)
}

const exchanges = new WeakMap<
  IncomingMessage,
  { readonly res: ServerResponse; readonly trustProxy: TrustProxy | undefined }
>()

// The native request is `raw` in Fastify's request and `req` in Koa's context.
const nodeRequests: RequestKind = {
  keyOf(value) {
    const { raw, req } = value as { readonly raw?: unknown; readonly req?: unknown }
    return [value, raw, req].find(isNodeRequest) ?? null
  },
  open: (key) => openNode(key as IncomingMessage), // The key is a result of `keyOf`.
}

function openNode(req: IncomingMessage): RequestContext {
  // Express sets `req.res`, so routes before `mount(gate)` work too.
  const res = exchanges.get(req)?.res ?? (req as { readonly res?: ServerResponse }).res
  if (!res) {
    const problem = 'did not pass through mount(gate). Add mount(gate) before your own routes'
    throw new ConfigurationError('The request', problem)
  }
  const cookies = new ResponseCookies({
    areHeadersSent: () => res.headersSent,
    onFirst() {
      onHeaders(res, () => {
        const read = (name: string): string | null => res.getHeader(name)?.toString() ?? null
        for (const cookie of cookies.take(read)) res.appendHeader('set-cookie', cookie)
      })
    },
  })
  const body = laterBodyOfHost(req, res)
  return openContext(toWebRequest(req, { body }), connectionOf(req), cookies)
}

/** Returns the remote address of a request, and the framework's trusted proxies. */
export function connectionOf(req: IncomingMessage): ConnectionInfo {
  const exchange = exchanges.get(req)
  const trustProxy = exchange ? exchange.trustProxy : frameworkTrust(req)
  return { native: req, address: addressOf(req), ...(trustProxy ? { trustProxy } : {}) }
}

// Returns undefined if the client disconnected before the address was first read.
function addressOf({ socket }: IncomingMessage): string | undefined {
  const { remoteAddress, localAddress, destroyed } = socket
  // A Unix socket has no addresses. A TCP socket has a local address, even after a disconnect.
  return remoteAddress ?? (localAddress === undefined && !destroyed ? 'unix' : undefined)
}

function isNodeRequest(value: unknown): value is IncomingMessage {
  const { rawHeaders, socket } = (value ?? {}) as Partial<IncomingMessage>
  return Array.isArray(rawHeaders) && typeof socket === 'object'
}

// If a response body fails before its first byte, throws the error, so that the caller can send an
// error response. Later, closes the connection, so that the client does not treat the response as
// complete.
async function guardBody(
  response: Response,
  res: Pick<ServerResponse, 'destroy'>,
  onError: (error: unknown) => void,
): Promise<Response> {
  if (!response.body) return response
  const reader = response.body.getReader()
  let first: Awaited<ReturnType<typeof reader.read>> | null = await reader.read()
  let isCancelled = false
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = first ?? (await reader.read())
      first = null
      if (isCancelled) return // A cancelled stream accepts no chunks.
      if (done) controller.close()
      else controller.enqueue(value)
    } catch (error) {
      if (isCancelled) return // The client disconnected, which is not a server error.
      onError(error)
      res.destroy()
    }
  }
  const cancel = (reason: unknown): Promise<void> => {
    isCancelled = true
    return reader.cancel(reason)
  }
  return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), response)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import onHeaders from 'on-headers'
import { ConfigurationError } from '../core/errors.ts'
import { createAnswerCookies } from '../http/answer-cookies.ts'
import type { Connection, RequestContext } from '../http/context.ts'
import { openContext, type RequestKind } from '../http/request-contexts.ts'
import { type HostRequest, toWebRequest } from './node-request.ts'
import { expressTrust } from './trust-proxy.ts'

/** A request of `node:http` and its response. */
interface Exchange {
  readonly res: ServerResponse
  readonly trustProxy: Connection['trustProxy']
}

const exchanges = new WeakMap<IncomingMessage, Exchange>()

/**
 * Remembers the response of a request, so that calls which get the request can set cookies.
 *
 * @param trustProxy the framework's own configuration of trusted proxies
 */
export function rememberExchange(
  req: IncomingMessage,
  res: ServerResponse,
  trustProxy?: Connection['trustProxy'],
): void {
  exchanges.set(req, { res, trustProxy })
}

/**
 * Requests of `node:http`, also inside the requests of frameworks on top of it: `request.raw` of
 * Fastify, `ctx.req` of Koa. Their web request has no body, because the framework reads it.
 */
export const nodeRequests: RequestKind = {
  keyOf(value) {
    const { raw, req } = value as { readonly raw?: unknown; readonly req?: unknown }
    return [value, raw, req].find(isNodeRequest) ?? null
  },
  open: (key) => openNode(key as IncomingMessage), // `keyOf` returned it.
}

function openNode(req: IncomingMessage): RequestContext {
  const exchange = exchanges.get(req) ?? exchangeOfExpress(req)
  if (!exchange) {
    const problem = 'was not seen by mount(gate). Mount it in front of your own routes'
    throw new ConfigurationError('The request', problem)
  }
  const { res, trustProxy } = exchange
  const cookies = createAnswerCookies({
    areHeadersSent: () => res.headersSent,
    onFirst() {
      onHeaders(res, () => {
        const read = (name: string): string | null => res.getHeader(name)?.toString() ?? null
        for (const cookie of cookies.take(read)) res.appendHeader('set-cookie', cookie)
      })
    },
  })
  return openContext(toWebRequest(req as HostRequest), connectionOf(req, trustProxy), cookies)
}

/**
 * Express links a request and its response, so that its routes in front of mount(gate) need not
 * wait for it.
 */
function exchangeOfExpress(req: IncomingMessage): Exchange | null {
  const { res } = req as { readonly res?: ServerResponse }
  return res ? { res, trustProxy: expressTrust(req) } : null
}

/** Returns what the socket of a request says. */
export function connectionOf(
  req: IncomingMessage,
  trustProxy = exchanges.get(req)?.trustProxy,
): Connection {
  return { native: req, address: addressOf(req), ...(trustProxy ? { trustProxy } : {}) }
}

/** Returns the address of the socket's other end; undefined if the client has gone. */
export function addressOf({ socket }: IncomingMessage): string | undefined {
  const { remoteAddress, localAddress, destroyed } = socket
  // A TCP socket has a local address even if its client has gone.
  return remoteAddress ?? (localAddress === undefined && !destroyed ? 'unix' : undefined)
}

function isNodeRequest(value: unknown): value is IncomingMessage {
  const { rawHeaders, socket } = (value ?? {}) as Partial<IncomingMessage>
  return Array.isArray(rawHeaders) && typeof socket === 'object'
}

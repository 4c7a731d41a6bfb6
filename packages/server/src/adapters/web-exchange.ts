import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AnswerCookies,
  createAnswerCookies,
  type HeaderReader,
} from '../http/answer-cookies.ts'
import type { Connection, RequestContext } from '../http/context.ts'
import { problemResponse } from '../http/problem.ts'
import { openContext } from '../http/request-contexts.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'
import { isOurs } from './node.ts'
import { bodyOfHost } from './node-body.ts'
import { connectionOf } from './node-exchange.ts'
import { toWebRequest } from './node-request.ts'
import { guardBody, withoutBody } from './node-response.ts'

/** A request in a framework whose requests and answers are those of the web, on any platform. */
export interface WebExchange {
  readonly request: Request
  /** The framework's own objects for this request. Calls accept them. */
  readonly keys: readonly [object, ...object[]]
  /** Under Node.js, its request and response. */
  readonly node?:
    | { readonly req: IncomingMessage; readonly res?: ServerResponse | undefined }
    | undefined
  /** On other platforms, the address of the socket's other end. */
  readonly address?: string | undefined
}

/** An exchange whose answer is made by the application. */
export interface OpenExchange {
  /**
   * Removes and returns the cookies that calls have set. Later calls cannot set any.
   *
   * @param read reads a header of the answer
   */
  finish(read: HeaderReader): string[]
}

/** How adapters for these frameworks use an application object. */
export interface WebMount {
  /** Answers a request for a component. Returns null if its path is another one. */
  answer(exchange: WebExchange): Promise<Response> | null
  /** Remembers a request that the application answers, so that calls accept it. */
  open(exchange: WebExchange): OpenExchange
}

/** Prepares an application object for a framework of this kind, and starts it. */
export function mountOnWeb(gate: Quillgate): WebMount {
  checkGate(gate, 'mount')
  const { contexts, logger, start } = gate.parts
  const onUnexpected = (error: unknown): void => logger.error('An answer broke off.', error)
  const opened = new WeakMap<object, RequestContext>()
  const find = (value: object): RequestContext | undefined => opened.get(value)
  contexts.accept({
    keyOf: (value) => find(value)?.request ?? null,
    open: (request) => find(request) ?? openContext(request as Request), // `keyOf` returned it.
  })
  start()
  return {
    answer(exchange) {
      const { request, node } = exchange
      const isForUs = node ? isOurs(gate, node.req) : gate.handles(request)
      if (!isForUs) return null
      const fetch = async () => gate.fetch(requestOf(exchange), connectionFor(exchange))
      return node?.res ? guarded(fetch, node.req, node.res, onUnexpected) : fetch()
    },
    open(exchange) {
      let isFinished = false
      const cookies: AnswerCookies = createAnswerCookies({ areHeadersSent: () => isFinished })
      const context = contexts.open(exchange.request, connectionFor(exchange), cookies)
      for (const key of [exchange.request, ...exchange.keys]) opened.set(key, context)
      return {
        finish(read) {
          isFinished = true
          return cookies.take(read)
        },
      }
    },
  }
}

/**
 * Makes an answer of a body that fails before its first byte, and cuts the connection if it fails
 * later.
 */
async function guarded(
  fetch: () => Promise<Response>,
  req: IncomingMessage,
  res: ServerResponse,
  onUnexpected: (error: unknown) => void,
): Promise<Response> {
  try {
    if (req.method === 'HEAD') return await withoutBody(await fetch())
    return await guardBody(await fetch(), res, onUnexpected)
  } catch (error) {
    return problemResponse(error, { onUnexpected })
  }
}

function connectionFor({ keys: [native], node, address }: WebExchange): Connection {
  return node ? { ...connectionOf(node.req), native } : { native, address }
}

/**
 * Under Node.js, a request of our own: it streams uploads, and it is not replaced by a framework's
 * light version.
 */
function requestOf({ request, node }: WebExchange): Request {
  if (!node?.res) return request
  return toWebRequest(node.req, {
    body: bodyOfHost(node.req, node.res),
    signal: request.signal,
  })
}

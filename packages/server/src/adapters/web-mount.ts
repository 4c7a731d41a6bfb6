import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connection } from '../http/context.ts'
import type { HeaderReader } from '../http/response-cookies.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'
import { answerFor, connectionOf, isOurs } from './node-mount.ts'

/** A request in a framework that uses the web's `Request` and `Response`, on any platform. */
export interface WebExchange {
  readonly request: Request
  /** The framework's own objects for this request. Calls accept them. */
  readonly keys: readonly [object, ...object[]]
  /** On Node.js, the native request and response. */
  readonly node?:
    | { readonly req: IncomingMessage; readonly res?: ServerResponse | undefined }
    | undefined
  /** On other platforms, the remote address of the socket. */
  readonly address?: string | undefined
}

/** The functions by which adapters for these frameworks use an application object. */
export interface WebMount {
  /** Answers a request for a component. Returns null if its path belongs to no component. */
  answer(exchange: WebExchange): Promise<Response> | null
  /**
   * Remembers a request that the application answers, so that calls accept it.
   *
   * @returns a function to call with a reader of the answer's headers. It returns the cookies that
   * calls have set, and removes them. After that, calls cannot set cookies.
   */
  open(exchange: WebExchange): (read: HeaderReader) => string[]
}

/** Prepares an application object for a framework of this kind, and starts it. */
export function mountOnWeb(gate: Quillgate): WebMount {
  checkGate(gate, 'mount')
  const { contexts, start } = gate.parts
  start()
  return {
    answer(exchange) {
      const { request, node } = exchange
      const isForUs = node ? isOurs(gate, node.req) : gate.handles(request)
      if (!isForUs) return null
      const connection = connectionFor(exchange)
      if (!node?.res) return gate.fetch(request, connection)
      // Does not use the framework's request, which may be a simplified one and may buffer uploads.
      return answerFor(gate, node.req, node.res, { signal: request.signal, ...connection })
    },
    open(exchange) {
      const { request, keys } = exchange
      const { cookies } = contexts.open(request, connectionFor(exchange), { keys })
      return (read) => cookies.take(read)
    },
  }
}

function connectionFor({ keys: [native], node, address }: WebExchange): Connection {
  return node ? { ...connectionOf(node.req), native } : { native, address }
}

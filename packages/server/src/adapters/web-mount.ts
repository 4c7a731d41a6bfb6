import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConnectionInfo } from '../http/context.ts'
import type { HeaderReader } from '../http/response-cookies.ts'
import { checkGate, type Quillgate } from '../quillgate.ts'
import { answerFor, connectionOf, isOurs } from './node-mount.ts'

/** A request of a framework that uses web `Request` and `Response`, on any platform. */
export interface WebExchange {
  readonly request: Request
  /** Objects that the application can pass to methods such as `login` as the request. */
  readonly keys: readonly [object, ...object[]]
  /** On Node.js, the native request and response. */
  readonly node?:
    | { readonly req: IncomingMessage; readonly res?: ServerResponse | undefined }
    | undefined
  /** On other platforms, the remote address of the socket. */
  readonly address?: string | undefined
}

/** Starts the components of `gate` for a framework that uses web requests. */
export function mountOnWeb(gate: Quillgate) {
  checkGate(gate, 'mount')
  const { components, contexts } = gate.parts
  components.start()
  return {
    /** Answers a request. Returns null if the path belongs to no component. */
    answer(exchange: WebExchange): Promise<Response> | null {
      const { request, node } = exchange
      const isForUs = node ? isOurs(gate, node.req) : gate.handles(request)
      if (!isForUs) return null
      const connection = connectionFor(exchange)
      if (!node?.res) return gate.fetch(request, connection)
      // Uses the native Node.js request, because the framework's request may be incomplete.
      return answerFor(gate, node.req, node.res, { signal: request.signal, ...connection })
    },
    /**
     * Registers the keys of a request. Returns a function that returns the cookies for the
     * response. After the returned function is called, no cookie can be set.
     */
    open(exchange: WebExchange): (read: HeaderReader) => string[] {
      const { request, keys } = exchange
      const { cookies } = contexts.open(request, connectionFor(exchange), { keys })
      return (read) => cookies.take(read)
    },
  }
}

function connectionFor({ keys: [native], node, address }: WebExchange): ConnectionInfo {
  return node ? { ...connectionOf(node.req), native } : { native, address }
}

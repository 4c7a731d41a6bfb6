import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOnWeb, type WebExchange } from './web-mount.ts'

interface H3EventLike {
  readonly req: Request & { readonly ip?: string | undefined }
  readonly res: { readonly headers: Headers; readonly errHeaders: Headers }
  readonly runtime?:
    | { readonly node?: { readonly req: object; readonly res?: object | undefined } | undefined }
    | undefined
}

/** A middleware for h3 version 2. */
export type H3Middleware = (event: H3EventLike, next: () => unknown) => Promise<unknown>

/**
 * Returns the middleware that mounts `gate`, the result of `createQuillgate`. Use the middleware
 * before your own routes. Calls such as `devices.login(user, event)` add their cookies to the
 * response of the route. h3 has no setting for trusted proxies, so use the option `trustedProxies`.
 *
 * @example
 * app.use(mount(gate))
 * app.post('/login', async (event) => {
 *   await devices.login(user, event)
 *   return redirect('/', 303)
 * })
 */
export function mount(gate: Quillgate): H3Middleware {
  const { answer, open } = mountOnWeb(gate)
  return async (event, next) => {
    const exchange = exchangeOf(event)
    const answered = answer(exchange)
    if (answered) return answered
    const finish = open(exchange)
    const { headers, errHeaders } = event.res
    try {
      const result = await next()
      const own = headersOf(result)
      const read = (name: string): string | null => own?.get(name) ?? headers.get(name)
      for (const cookie of finish(read)) headers.append('set-cookie', cookie)
      return result
    } catch (error) {
      for (const cookie of finish(() => null)) errHeaders.append('set-cookie', cookie)
      throw error
    }
  }
}

// Returns the headers of a route's result if it has headers, as `Response` and `HTTPResponse` have.
function headersOf(result: unknown): Pick<Headers, 'get'> | undefined {
  const { headers } = (result ?? {}) as { readonly headers?: Partial<Headers> }
  return typeof headers?.get === 'function' ? (headers as Headers) : undefined
}

function exchangeOf(event: H3EventLike): WebExchange {
  const node = event.runtime?.node
  return {
    request: event.req,
    keys: [event],
    node: node && { req: node.req as IncomingMessage, res: node.res as ServerResponse | undefined },
    address: event.req.ip,
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOn } from './node-mount.ts'
import type { HostRequest } from './node-request.ts'
import { type KoaSettings, koaTrust } from './trust-proxy.ts'

interface KoaContextLike {
  readonly app: KoaSettings
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The URL before a router such as `koa-mount` removed its mount prefix. */
  readonly originalUrl: string
  /** Koa's own request. An earlier body parser stores its result in the property `body`. */
  readonly request: object
  respond?: boolean | undefined
}

/** A middleware for Koa 3. */
export type KoaMiddleware = (context: KoaContextLike, next: () => Promise<unknown>) => unknown

/**
 * Returns the middleware that mounts `gate`, the result of `createQuillgate`. Use the middleware
 * before body parsers and your own routes. If the option `trustedProxies` is missing, Koa's
 * settings `proxy` and `maxIpsCount` are used. With `proxy`, a `maxIpsCount` of 0 means one proxy.
 *
 * @example
 * app.use(mount(gate))
 * app.use(bodyParser())
 */
export function mount(gate: Quillgate): KoaMiddleware {
  const { accept, answer } = mountOn(gate)
  return (context, next) => {
    const { req, res } = context
    describeRequest(context)
    if (!accept(req, res, koaTrust(context.app))) return next()
    context.respond = false
    answer(req, res)
    return undefined
  }
}

// Sets `originalUrl` and `body` on the Node.js request if missing, as Express and its parsers do.
function describeRequest({ req, request, originalUrl }: KoaContextLike): void {
  const { body } = request as { readonly body?: unknown }
  const host: HostRequest = req
  const known = { originalUrl: host.originalUrl ?? originalUrl, body: host.body ?? body }
  Object.assign(req, known)
}

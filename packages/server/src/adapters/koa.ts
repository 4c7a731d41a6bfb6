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
  /** Has a `body` if an earlier body parser has read it. */
  readonly request: object
  respond?: boolean | undefined
}

/** A middleware of Koa 3. */
export type KoaMiddleware = (context: KoaContextLike, next: () => Promise<unknown>) => unknown

/**
 * Returns the middleware that mounts an application object. Mount it before body parsers and
 * your own routes. Koa's settings `proxy` and `maxIpsCount` are used if the option
 * `trustedProxies` is not given. With `maxIpsCount` 0, one proxy is trusted.
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

// Adds properties that Express sets too: the whole URL, and the body that a parser has read.
function describeRequest({ req, request, originalUrl }: KoaContextLike): void {
  const { body } = request as { readonly body?: unknown }
  const host: HostRequest = req
  const known = { originalUrl: host.originalUrl ?? originalUrl, body: host.body ?? body }
  Object.assign(req, known)
}

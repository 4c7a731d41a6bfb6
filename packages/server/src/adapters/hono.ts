import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOnWeb, type WebExchange } from './web-mount.ts'

/** A context of Hono, described by what we use of it. */
interface HonoContextLike {
  readonly req: { readonly raw: Request }
  /**
   * The platform's own objects: the request of `node:http`, the server of Bun, the connection of
   * Deno.
   */
  readonly env: unknown
  readonly res: Response
  header(name: string, value?: string, options?: { append?: boolean }): void
}

/** A middleware of Hono 4. */
export type HonoMiddleware = (
  context: HonoContextLike,
  next: () => Promise<void>,
) => Promise<Response | undefined>

/**
 * Returns the middleware that puts an application object into a Hono application. Mount it in front
 * of your own routes. It answers requests for the components and passes on the others. Calls such
 * as `devices.login(user, c)` take the context, and their cookies are added to the answer of the
 * route.
 *
 * With `@hono/node-server`, serve the application with `autoCleanupIncoming: false`. Otherwise the
 * server closes the connection on clients that are still sending a large upload when it is
 * rejected, and they cannot read why.
 *
 * Hono has no setting for trusted proxies: use the option `trustedProxies`.
 *
 * @example
 * app.use(mount(gate))
 * app.post('/login', async (c) => {
 *   await devices.login(user, c)
 *   return c.redirect('/', 303)
 * })
 */
export function mount(gate: Quillgate): HonoMiddleware {
  const { answer, open } = mountOnWeb(gate)
  return async (context, next) => {
    const exchange = exchangeOf(context)
    const answered = answer(exchange)
    if (answered) return answered
    const finish = open(exchange)
    await next() // Hono makes answers of errors, so this does not throw.
    // Not `context.res = …`, which would keep the cookies of the former answer only.
    for (const cookie of finish((name) => context.res.headers.get(name)))
      context.header('set-cookie', cookie, { append: true })
    return undefined
  }
}

interface PlatformEnvironment {
  /** The request in `@hono/node-server`. */
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
  /** On Bun: the server itself, or an object that contains it. */
  readonly requestIP?: (request: Request) => { readonly address: string } | null
  readonly server?: PlatformEnvironment
  /** The other end of the connection in Deno. */
  readonly remoteAddr?: { readonly hostname?: string }
}

function exchangeOf(context: HonoContextLike): WebExchange {
  const { raw: request } = context.req
  const environment = (context.env ?? {}) as PlatformEnvironment
  const { incoming, outgoing, remoteAddr } = environment
  const bun = environment.server ?? environment
  return {
    request,
    keys: [context, context.req],
    node: incoming && { req: incoming, res: outgoing },
    address: remoteAddr?.hostname ?? bun.requestIP?.(request)?.address,
  }
}

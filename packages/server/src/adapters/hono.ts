import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOnWeb, type WebExchange } from './web-mount.ts'

interface HonoContextLike {
  readonly req: { readonly raw: Request }
  /** Objects of the platform, for example the request and the response of Node.js. */
  readonly env: unknown
  readonly res: Response
  header(name: string, value?: string, options?: { append?: boolean }): void
}

/** A middleware for Hono 4. */
export type HonoMiddleware = (
  context: HonoContextLike,
  next: () => Promise<void>,
) => Promise<Response | undefined>

/**
 * Returns the middleware that mounts `gate`, the result of `createQuillgate`. Use the middleware
 * before your own routes. Calls such as `devices.login(user, c)` add their cookies to the response
 * of the route. Hono has no setting for trusted proxies, so use the option `trustedProxies`.
 *
 * With `@hono/node-server`, serve the application with `autoCleanupIncoming: false`. Otherwise, the
 * server closes the connection when it rejects a large upload. The client is then still sending and
 * cannot read the error.
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
    await next() // Does not throw errors, because Hono converts them to responses.
    // Does not replace `context.res`, because Hono would then discard the new cookies.
    for (const cookie of finish((name) => context.res.headers.get(name)))
      context.header('set-cookie', cookie, { append: true })
    return undefined
  }
}

interface PlatformEnvironment {
  /** The Node.js request, which `@hono/node-server` provides. */
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
  /** On Bun, `env` is the server itself, or an object that contains it as `server`. */
  readonly requestIP?: (request: Request) => { readonly address: string } | null
  readonly server?: PlatformEnvironment
  /** On Deno, the address of the client. */
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

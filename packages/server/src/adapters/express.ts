import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FetchHandler, RequestContext } from '../http/context.ts'
import { type GuardCheck, type GuardResult, refusalOr } from '../http/guard.ts'
import { checkHandler, fromNode, type ListenerOptions, toNodeListener } from './node.ts'

/** A middleware of Express 4 and 5, described by what we use of it. */
export type ExpressHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * The context of an Express request, for `authenticate`, `csrf` and `login` in the application's own handlers. Its web
 * request has the whole path, also under a mounted router, and no body: that one is Express's to read.
 *
 * @throws QuillgateError 400 `malformed_request` when its URL or method cannot be represented
 *
 * @example
 * app.get('/posts', async (req, res) => {
 *   const session = await devices.authenticate(fromExpress(req))
 * })
 */
export function fromExpress(req: IncomingMessage): RequestContext {
  return { ...fromNode(req), ...trustOf(req) }
}

/**
 * Puts a handler into an Express application, at the root or under a prefix: it always sees the whole path, and what is
 * not its own goes on to the next middleware. Mount it before body parsers; see `toNodeListener`. Express's setting
 * `trust proxy` counts where the option `trustedProxies` is not given.
 *
 * @example
 * app.use(mount(editor))
 * app.use(express.json())
 */
export function mount(handler: FetchHandler, options?: ListenerOptions): ExpressHandler {
  checkHandler(handler, 'mount')
  const fetch: FetchHandler['fetch'] = (request, context) =>
    handler.fetch(request, { ...context, ...trustOf(context?.native) })
  const start = (): void => handler.start?.()
  return toNodeListener({ fetch, handles: (request) => handler.handles(request), start }, options)
}

/** Returns the function to which Express compiles its setting `trust proxy`. While it is off, it returns false. */
function trustOf(native: unknown): Pick<RequestContext, 'trustProxy'> {
  const { app } = (native ?? {}) as {
    readonly app?: { readonly get?: (setting: string) => unknown }
  }
  const trust = app?.get?.('trust proxy fn')
  return typeof trust === 'function'
    ? { trustProxy: (address, hop) => trust(address, hop) === true }
    : {}
}

/**
 * Copies headers to an answer of Express or `node:http`, every `set-cookie` for itself beside those already there.
 *
 * @example
 * const { token, headers } = csrf.issue(fromExpress(req), user)
 * setHeaders(res, headers)
 */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const [name, value] of headers) {
    if (name === 'set-cookie') res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
}

/** A route of Express that runs behind a guard. Types of Express's own `Request` and `Response` are kept. */
export type GuardedHandler<Req, Res, Result> = (
  req: Req,
  res: Res,
  result: Result,
  next: (error?: unknown) => void,
) => unknown

/**
 * Puts a check in front of a route. What the check throws becomes the answer, as problem details; other errors, and
 * those of the route, go to Express. The headers that the check gives are set on the answer before the route runs.
 *
 * @example
 * app.post('/email', guard(
 *   (context) => devices.requireTrusted(context, { maxProofAge: 300 }),
 *   (req: Request, res: Response, { user }) => changeEmail(user, req.body?.email).then(() => res.sendStatus(204)),
 * ))
 */
export function guard<
  Result extends GuardResult,
  Req extends IncomingMessage,
  Res extends ServerResponse,
>(
  check: GuardCheck<Result>,
  handle: GuardedHandler<Req, Res, Result>,
): (req: Req, res: Res, next: (error?: unknown) => void) => Promise<void> {
  return async (req, res, next) => {
    try {
      const result = await refusalOr(() => check(fromExpress(req)))
      if (result instanceof Response) return await refuse(res, result)
      if (result.headers) setHeaders(res, result.headers)
      await handle(req, res, result, next)
    } catch (error) {
      next(error)
    }
  }
}

async function refuse(res: ServerResponse, response: Response): Promise<void> {
  res.statusCode = response.status
  setHeaders(res, response.headers)
  res.end(await response.text())
}

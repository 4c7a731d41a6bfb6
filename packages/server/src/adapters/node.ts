import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOn } from './node-mount.ts'

/** A listener for `node:http`, which is also a middleware for Express, NestJS and Connect. */
export type NodeListener = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Puts an application object on a `node:http` server, or into an application of Express (4 or 5),
 * NestJS (on Express or Fastify) or Connect. Requests for other paths go to `next`, or get 404
 * `not_found` without it. Afterwards calls such as `devices.login(user, req)` accept the request.
 *
 * Bodies are streamed both ways. Mount it in front of body parsers and of your own routes, in
 * NestJS before the application starts to listen: JSON and simple forms that a parser has read are
 * restored, any other body is 500 `body_already_read`. A path that a URL parser would change, such
 * as `/./media/a.png`, is not handled. Neither is a request whose client has closed the connection,
 * because limits could not count it for an address.
 *
 * The framework's own setting of trusted proxies counts if the option `trustedProxies` is not
 * given. The components start in the background. The log says if they fail.
 *
 * @throws ConfigurationError without an application object
 *
 * @example
 * app.use(mount(gate)) // Express and NestJS
 *
 * const handle = mount(gate)
 * createServer((req, res) => handle(req, res, () => answer(req, res))).listen(3000)
 */
export function mount(gate: Quillgate): NodeListener {
  const { accept, answer } = mountOn(gate)
  return (req, res, next) => {
    const isOurs = accept(req, res)
    if (next && !isOurs) next()
    else answer(req, res)
  }
}

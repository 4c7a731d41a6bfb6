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
 * Returns the listener that mounts `gate`, the result of `createQuillgate`, on a `node:http`
 * server. It is also a middleware for Express (4 or 5), NestJS (on Express or Fastify) and Connect.
 * It passes requests that belong to no component to `next`. Without `next`, it answers 404.
 *
 * Mount the listener before body parsers and your own routes. In NestJS, mount it before the
 * application starts to listen. If a parser has already read JSON or a simple form, or has kept
 * `rawBody`, the body is restored. For any other body that was read, the response is 500
 * `body_already_read`. A path that a URL parser would change, such as `/./media/a.png`, belongs to
 * no component. If the client has already disconnected, the request is dropped without an answer.
 *
 * If the option `trustedProxies` is missing, the framework's own setting is used.
 *
 * @throws ConfigurationError if `gate` is not an application object
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

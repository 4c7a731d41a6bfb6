import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOn } from './node.ts'
import { expressTrust } from './trust-proxy.ts'

/** A middleware of Express 4 and 5, described by what we use of it. */
export type ExpressHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Returns the middleware that puts an application object into an Express application, at the root
 * or under a prefix. It sees the whole path and passes on other requests. Mount it in front of body
 * parsers and of your own routes; see `mount` of `@quillgate/server/node`. Express's setting `trust
 * proxy` counts if the option `trustedProxies` is not given.
 *
 * @example
 * app.use(mount(gate))
 * app.use(express.json())
 */
export function mount(gate: Quillgate): ExpressHandler {
  const { accept, answer } = mountOn(gate)
  return (req, res, next) => {
    if (accept(req, res, expressTrust(req))) answer(req, res)
    else next()
  }
}

import type { Quillgate } from '../quillgate.ts'
import { mount as mountNode, type NodeListener } from './node.ts'

/**
 * Returns the middleware that puts an application object into an Express application (4 or 5), at
 * the root or under a prefix. It sees the whole path and passes on other requests. Mount it in
 * front of body parsers and of your own routes; see `mount` of `@quillgate/server/node`. Express's
 * setting `trust proxy` counts if the option `trustedProxies` is not given.
 *
 * @example
 * app.use(mount(gate))
 * app.use(express.json())
 */
export function mount(gate: Quillgate): NodeListener {
  return mountNode(gate)
}

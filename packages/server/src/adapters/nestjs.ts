import type { Quillgate } from '../quillgate.ts'
import { mount as mountNode, type NodeListener } from './node.ts'

/**
 * Returns the middleware that puts an application object into a NestJS application, on the platform
 * Express or Fastify. Call it before the application starts to listen, so that it sees requests
 * before Nest's body parser. It answers requests for the components and passes on the others. Calls
 * such as `devices.login(user, req)` take the request that `@Req()` gives.
 *
 * The platform's own setting of trusted proxies counts if the option `trustedProxies` is not given:
 * `trust proxy` of Express, `trustProxy` of Fastify.
 *
 * @example
 * const app = await NestFactory.create(AppModule)
 * app.use(mount(gate))
 * await app.listen(3000)
 */
export function mount(gate: Quillgate): NodeListener {
  return mountNode(gate)
}

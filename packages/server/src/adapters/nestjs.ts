import type { IncomingMessage } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import type { ExpressHandler } from './express.ts'
import { mountOn } from './node.ts'
import { expressTrust, type FastifyAddresses, fastifyTrust } from './trust-proxy.ts'

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
export function mount(gate: Quillgate): ExpressHandler {
  const { accept, answer } = mountOn(gate)
  return (req, res, next) => {
    // On Fastify, Nest runs middlewares by @fastify/middie, which adds `ips` to the native request.
    const trust = expressTrust(req) ?? fastifyTrust(req as IncomingMessage & FastifyAddresses)
    if (accept(req, res, trust)) answer(req, res)
    else next()
  }
}

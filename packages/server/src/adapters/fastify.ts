import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOn } from './node-mount.ts'
import { fastifyTrust } from './trust-proxy.ts'

/** A request of Fastify, described by what we use of it. */
interface FastifyRequestLike {
  readonly raw: IncomingMessage
  readonly ips?: string[] | undefined
}

interface FastifyReplyLike {
  readonly raw: ServerResponse
  getHeaders(): Record<string, number | string | string[] | undefined>
  hijack(): unknown
}

interface FastifyLike {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike, done: () => void) => void,
  ): unknown
}

/** A plugin of Fastify 5. */
export type FastifyPlugin = (instance: FastifyLike, options: unknown, done: () => void) => void

/**
 * Returns the plugin that puts an application object into a Fastify application. Register it before
 * your own routes and plugins. It sees requests before Fastify reads their bodies, answers those
 * for the components, and passes on the others. It belongs to the instance that registers it, like
 * a plugin made by `fastify-plugin`, so a `prefix` changes nothing: the components compare whole
 * paths.
 *
 * The answers of the components include headers that earlier hooks have set. Fastify does not run
 * `onSend` hooks for these answers. Fastify's option `trustProxy` counts if the option
 * `trustedProxies` is not given.
 *
 * @example
 * await app.register(mount(gate))
 * app.post('/login', async (request, reply) => {
 *   await devices.login(user, request)
 *   return reply.redirect('/', 303)
 * })
 */
export function mount(gate: Quillgate): FastifyPlugin {
  const { accept, answer } = mountOn(gate)
  const plugin: FastifyPlugin = (instance, _options, done) => {
    instance.addHook('onRequest', (request, reply, next) => {
      if (!accept(request.raw, reply.raw, fastifyTrust(request))) return next()
      hijack(reply)
      answer(request.raw, reply.raw)
    })
    done()
  }
  // The documented way to add hooks to the instance that registers the plugin; `fastify-plugin`
  // does the same.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

/** Takes over the answer. Fastify would discard the headers that hooks have set. */
function hijack(reply: FastifyReplyLike): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  reply.hijack()
}

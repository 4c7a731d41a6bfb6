import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Quillgate } from '../quillgate.ts'
import { mountOn } from './node-mount.ts'
import { fastifyTrust } from './trust-proxy.ts'

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

/** A plugin for Fastify 5. */
export type FastifyPlugin = (instance: FastifyLike, options: unknown, done: () => void) => void

/**
 * Returns the plugin that mounts `gate`, the result of `createQuillgate`. Register the plugin
 * before your own routes and plugins. Quillgate then handles its requests before Fastify reads the
 * bodies. The plugin is not encapsulated, so the option `prefix` has no effect.
 *
 * Quillgate's responses include the headers that earlier hooks have set. Fastify does not run
 * `onSend` hooks for these responses. If the option `trustedProxies` is missing, Fastify's option
 * `trustProxy` is used.
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
      // Copies the headers that hooks have set. After `hijack`, Fastify does not send them.
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      reply.hijack()
      answer(request.raw, reply.raw)
    })
    done()
  }
  // Adds the hook to the parent instance instead of a child, as `fastify-plugin` does.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

import { createServer, type RequestListener, type Server } from 'node:http'
import { serve } from '@hono/node-server'
import { toNodeHandler } from 'h3/node'
import { describe, it } from 'vitest'
import { FormBrowser, signInAndPost } from '../support/form-browser.ts'
import { useExamples } from './use-examples.ts'

const { listenTo } = useExamples()

// tests/conformance/bundled.test.ts builds and runs the example of Next.
const FRAMEWORKS: Record<string, () => Promise<Server>> = {
  async node() {
    const { server } = await import('../../examples/node.ts')
    return server
  },
  async express() {
    const { app } = await import('../../examples/express.ts')
    return createServer(app)
  },
  async fastify() {
    const { app } = await import('../../examples/fastify.ts')
    await app.ready()
    return app.server
  },
  async koa() {
    const { app } = await import('../../examples/koa.ts')
    return createServer(app.callback())
  },
  async hono() {
    const { app } = await import('../../examples/hono.ts')
    return serve({ fetch: app.fetch, port: 0, autoCleanupIncoming: false }) as Server
  },
  async h3() {
    const { app } = await import('../../examples/h3.ts')
    return createServer(toNodeHandler(app) as RequestListener)
  },
  async nestjs() {
    const { start } = await import('../../examples/nestjs.ts')
    return (await start(0)).getHttpServer()
  },
}

describe('the examples of the frameworks', () => {
  it.each(Object.entries(FRAMEWORKS))(
    '%s signs in, uploads, saves and renders',
    async (_name, open) => signInAndPost(new FormBrowser(await listenTo(await open()))),
  )
})

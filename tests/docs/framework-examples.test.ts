import { createServer, type RequestListener, type Server } from 'node:http'
import { serve } from '@hono/node-server'
import { toNodeHandler } from 'h3/node'
import { describe, expect, it, vi } from 'vitest'
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

  it('express styles texts, lists devices, limits logins and signs out', async () => {
    vi.resetModules()
    const { app } = await import('../../examples/express.ts')
    const browser = new FormBrowser(await listenTo(createServer(app)))
    await signInAndPost(browser)
    expect((await browser.get('/markdown.css')).headers.get('content-type')).toMatch('text/css')
    const page = await (await browser.get('/')).text()
    expect(page).toContain('<div class="md-content"><p><em>red</em>')
    expect(page).toMatch(/src="\/trusted-devices\/assets\/[^"]*".*<trusted-devices /s)

    const logout = new URLSearchParams({ csrf_token: await browser.token('/') })
    expect((await browser.post('/logout', logout)).status).toBe(303)
    expect((await browser.get('/')).headers.get('location')).toBe('/login')

    const form = { csrf_token: await browser.token('/login'), username: 'eve', password: '' }
    const login = () => browser.post('/login', new URLSearchParams(form))
    let refusal = await login()
    for (let attempt = 0; attempt < 10 && refusal.status === 401; attempt++) refusal = await login()
    expect([refusal.status, refusal.headers.has('retry-after')]).toEqual([429, true])
    // A detail can quote the request, so it must not be HTML.
    expect(refusal.headers.get('content-type')).toMatch('text/plain')
    expect(await refusal.text()).toMatch(/^Too many requests/)
  })
})

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { toNodeHandler } from 'h3/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FormBrowser, signInAndPost } from '../support/form-browser.ts'

const root = join(import.meta.dirname, '..', '..')

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

describe('the examples', () => {
  const cwd = process.cwd()
  let folder: string
  let server: Server | undefined

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-examples-'))
    process.chdir(folder) // The examples write to ./data.
  })

  afterEach(() => {
    server?.close()
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
  })

  it.each([...Object.keys(FRAMEWORKS), 'next'])('%s has a guide that includes it', (name) => {
    const guide = readFileSync(join(root, 'apps', 'docs', 'frameworks', `${name}.md`), 'utf8')
    const [, file = ''] = /^<<< \.\.\/\.\.\/\.\.\/(.+)$/m.exec(guide) ?? []
    expect(file).toContain(`examples/${name}`)
    expect(existsSync(join(root, file))).toBe(true)
    if (name === 'next') return // `next dev` starts it.
    expect(readFileSync(join(root, file), 'utf8')).toMatch(/^if \(import\.meta\.main\) /m)
  })

  it('include the Express example of the README, word for word', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const example = readFileSync(join(root, 'examples', 'express.ts'), 'utf8')
    expect(readme).toContain(example.trim())
  })

  it('express-devices.ts registers a device, and recognizes it at the next login', async () => {
    const { app } = await import('../../examples/express-devices.ts')
    const origin = await listen(app)
    const login = async (browser: FormBrowser, password: string) => {
      const fields = { csrf_token: await browser.token('/login'), username: 'ada', password }
      return (await browser.post('/login', new URLSearchParams(fields))).status
    }
    const browser = new FormBrowser(origin)
    expect(await login(browser, 'quillgate')).toBe(303)
    expect(await (await browser.get('/')).json()).toMatchObject({ devices: [{ userId: '1' }] })

    // Another browser uses up the attempts of unknown browsers.
    const stranger = new FormBrowser(origin)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) statuses.push(await login(stranger, 'wrong'))
    expect(statuses.at(-1)).toBe(429)
    expect(await login(browser, 'quillgate')).toBe(303)

    const password = JSON.stringify({ password: 'quillgate' })
    const headers = {
      'content-type': 'application/json',
      'x-csrf-token': await browser.token('/login'),
    }
    const path = '/trusted-devices/reauthenticate'
    expect((await browser.post(path, password, headers)).status).toBe(204)
  })

  it('express-editor.ts shows a form and saves a text', async () => {
    const { app } = await import('../../examples/express-editor.ts')
    const browser = new FormBrowser(await listen(app))
    const form = new URLSearchParams({ csrf_token: await browser.token('/'), body: '**bold**' })
    expect(await (await browser.post('/', form)).text()).toContain('<strong>bold</strong>')
  })

  async function listen(app: RequestListener): Promise<string> {
    const opened = createServer(app)
    server = opened
    await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve))
    return `http://localhost:${(opened.address() as AddressInfo).port}`
  }

  it.each(Object.entries(FRAMEWORKS))(
    '%s signs in, uploads, saves and renders',
    async (_name, open) => {
      const opened = await open()
      server = opened
      if (!opened.listening) {
        await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve))
      }
      const { port } = opened.address() as AddressInfo
      await signInAndPost(new FormBrowser(`http://localhost:${port}`))
    },
  )
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FormBrowser } from '../support/form-browser.ts'
import { chunk, png } from '../support/png.ts'

const root = join(import.meta.dirname, '..', '..')

// The guides that start with a complete file. several-nodes.ts needs PostgreSQL, Redis and S3, and
// s3-and-cdn.ts needs S3, so they are only type-checked.
const FIRST_FILES = [
  ['server', 'express'],
  ['markdown-editor', 'express-editor'],
  ['moving-from-easymde', 'express-editor'],
  ['markdown-editor-orm', 'kysely-cleanup'],
  ['trusted-devices', 'express-devices'],
  ['storage', 'storage'],
  ['media', 'media'],
  ['s3-and-cdn', 's3-and-cdn'],
  ['behind-a-proxy', 'behind-a-proxy'],
  ['markdown-editor-drafts', 'drafts'],
  ['trusted-devices-guards', 'guarded-route'],
  ['trusted-devices-outbox', 'outbox'],
  ['trusted-devices-privacy', 'privacy'],
  ['login-alerts', 'login-alerts'],
  ['trusted-devices-admin', 'device-administration'],
  ['trusted-devices-browser', 'device-list'],
  ['trusted-devices-location', 'locate-logins'],
  ['trusted-devices-nodes', 'several-nodes'],
] as const

vi.mock('maxmind', () => ({
  open: async () => ({
    get: () => ({ country: { iso_code: 'FR' }, city: { names: { en: 'Paris' } } }),
  }),
}))

describe('the first file of a guide', () => {
  it.each(FIRST_FILES)('%s is examples/%s.ts, which starts a server', (guide, example) => {
    const text = readFileSync(join(root, 'apps', 'docs', `${guide}.md`), 'utf8')
    const [, file] = /^(?:<<< (.+)|```ts)$/m.exec(text) ?? []
    expect(file).toBe(`../../examples/${example}.ts`)
    const code = readFileSync(join(root, 'examples', `${example}.ts`), 'utf8')
    expect(code).toMatch(/^if \(import\.meta\.main\) app\.listen\(/m)
  })
})

it.each([
  ['rendering', 'rendering/renderer'],
  ['database', 'database'],
])('%s.md starts with %s.ts', (guide, example) => {
  const text = readFileSync(join(root, 'apps', 'docs', `${guide}.md`), 'utf8')
  expect(/^<<< (.+)$/m.exec(text)?.[1]).toBe(`../../examples/${example}.ts`)
})

it.each([
  ['rendering', 'wiki'],
  ['rendering', 'wiki-renderer'],
  ['rendering', 'wiki-preview'],
  ['markdown-editor', 'no-huge-pictures'],
  ['markdown-editor', 'post-admin'],
  ['media', 'smaller-images'],
  ['markdown-editor-browser', 'completions'],
  ['storage', 'storage-suite'],
  ['trusted-devices-guards', 'step-up'],
  ['trusted-devices-guards', 'token-login'],
  ['trusted-devices', 'receivers'],
  ['trusted-devices-admin', 'two-instances'],
])('%s.md includes %s.ts', (guide, example) => {
  const text = readFileSync(join(root, 'apps', 'docs', `${guide}.md`), 'utf8')
  expect(text).toContain(`\n<<< ../../examples/${example}.ts\n`)
})

describe('the examples of the guides', () => {
  const cwd = process.cwd()
  let folder: string
  let server: Server | undefined

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-guides-'))
    process.chdir(folder) // The examples write to ./data.
  })

  afterEach(() => {
    server?.close()
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  async function listen(app: RequestListener): Promise<string> {
    const opened = createServer(app)
    server = opened
    await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve))
    return `http://localhost:${(opened.address() as AddressInfo).port}`
  }

  async function signIn(origin: string, headers: Record<string, string> = {}) {
    const browser = new FormBrowser(origin)
    const csrf_token = await browser.token('/login')
    const form = new URLSearchParams({ csrf_token, username: 'ada', password: 'quillgate' })
    expect((await browser.post('/login', form, headers)).status).toBe(303)
    return browser
  }

  /** Sets the clock of the application forward. */
  function advance(seconds: number): void {
    const now = Date.now() + seconds * 1000
    vi.useFakeTimers({ toFake: ['Date'], now })
  }

  /** Sends a JSON request to an endpoint of trusted devices. Returns the status. */
  async function call(browser: FormBrowser, endpoint: string, body: object): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      'x-csrf-token': await browser.token('/login'),
    }
    const path = `/trusted-devices/${endpoint}`
    return (await browser.post(path, JSON.stringify(body), headers)).status
  }

  async function upload(browser: FormBrowser, content: string) {
    const form = new FormData()
    form.append('file', new Blob([content]), 'a.txt')
    const token = await browser.token('/')
    return await browser.post('/md-editor/upload', form, { 'x-csrf-token': token })
  }

  it('storage.ts stores an upload in a folder', async () => {
    const { app } = await import('../../examples/storage.ts')
    const browser = new FormBrowser(await listen(app))
    const { url } = (await (await upload(browser, 'hello')).json()) as { url: string }
    expect(await (await browser.get(url)).text()).toBe('hello')
    expect(readFileSync(join(folder, 'data', url), 'utf8')).toBe('hello')
    const form = new URLSearchParams({ csrf_token: await browser.token('/'), body: `[a](${url})` })
    const page = await (await browser.post('/', form)).text()
    expect(page).toMatch(/<a href="\/media\/md-editor\/uploads\//)
  })

  it('database.ts writes and reads a row', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { notes } = await import('../../examples/database.ts')
    expect(notes).toEqual([{ id: expect.any(String), body: 'Hello' }])
  })

  it('media.ts rejects a virus, and orphans a file that the text does not mention', async () => {
    const { app, editor } = await import('../../examples/media.ts')
    const browser = new FormBrowser(await listen(app))
    const virus = await upload(browser, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE')
    expect([virus.status, await virus.text()]).toEqual([422, expect.stringContaining('virus')])

    const { url } = (await (await upload(browser, 'hello')).json()) as { url: string }
    const save = async (body: string) => {
      const csrf_token = await browser.token('/')
      const response = await browser.post('/', new URLSearchParams({ csrf_token, body }))
      expect(response.status).toBe(303)
    }
    await save(`[a](${url})`)
    const [, saved = ''] = /\]\((\/media\/[^)]*)/.exec(await (await browser.get('/')).text()) ?? []
    expect((await browser.get(saved)).status).toBe(200)
    await save('nothing')
    expect((await browser.get(saved)).status).toBe(404)
    expect((await editor.media.list({ state: 'orphaned' })).media).toHaveLength(1)
  })

  it('login-alerts.ts prints mails about a new device and a new country', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { app } = await import('../../examples/login-alerts.ts')
    const origin = await listen(app)
    const from = (country: string) => ({
      'x-forwarded-for': '2.3.4.5',
      'cf-ipcountry': country,
    })
    await signIn(origin, from('DE'))
    await signIn(origin, from('DE'))
    await vi.waitFor(() => expect(log).toHaveBeenCalledOnce(), 10_000)
    const [to, subject, text] = log.mock.calls[0] ?? []
    expect([to, subject]).toEqual(['ada@example.com', expect.stringContaining('New sign-in')])
    expect(text).toContain('http://localhost:3000/login-alerts/')
    await signIn(origin, from('FR'))
    await vi.waitFor(() => expect(log).toHaveBeenCalledTimes(2), 10_000)
    expect(log.mock.calls[1]?.[1]).toContain('new country')
    expect(log.mock.calls[1]?.[2]).toContain('France')
  })

  it('device-list.ts lists devices and revokes one', async () => {
    const { app } = await import('../../examples/device-list.ts')
    const origin = await listen(app)
    const browser = await signIn(origin)
    const other = await signIn(origin)
    const page = await (await browser.get('/devices')).text()
    const uids = [...page.matchAll(/data-uid="([^"]*)"/g)].map(([, uid]) => uid)
    expect(uids).toHaveLength(2) // The current device is the first.
    const [, css = ''] = /href="([^"]*\.css)"/.exec(page) ?? []
    expect((await browser.get(css)).status).toBe(200)

    const form = new URLSearchParams({ csrf_token: await browser.token('/devices') })
    expect((await browser.post(`/devices/${uids[1]}/revoke`, form)).status).toBe(303)
    expect((await browser.get('/devices')).status).toBe(200)
    expect((await other.get('/devices')).headers.get('location')).toBe('/login')

    expect(await call(browser, 'reauthenticate', { password: 'quillgate' })).toBe(204)
    expect(await call(browser, 'reauthenticate', { password: 'wrong' })).toBe(401)
  })

  it('device-administration.ts lists and revokes the devices of a user', async () => {
    const { app, devices } = await import('../../examples/device-administration.ts')
    const origin = await listen(app)
    const path = '/admin/users/1'
    const guest = await new FormBrowser(origin).get(path)
    expect([guest.status, guest.headers.get('location')]).toEqual([303, '/login'])
    const browser = await signIn(origin, { 'user-agent': 'Firefox/145.0 <b>' })
    expect(await (await browser.get(path)).text()).toContain('<li>Firefox')

    const wrong = new URLSearchParams({ csrf_token: 'wrong' })
    expect((await browser.post(path, wrong)).status).toBe(403)
    expect((await devices.registry.list('1')).devices).toHaveLength(1)
    const form = new URLSearchParams({ csrf_token: await browser.token(path) })
    expect((await browser.post(path, form)).status).toBe(303)
    expect((await devices.registry.list('1')).devices).toEqual([])
  })

  it('locate-logins.ts records the city of a login', async () => {
    const { app } = await import('../../examples/locate-logins.ts')
    const browser = await signIn(await listen(app), { 'x-forwarded-for': '2.3.4.5' })
    const list = await (await browser.get('/trusted-devices')).json()
    expect(list).toMatchObject({ devices: [{ country: 'FR', city: 'Paris' }] })
  })

  it('behind-a-proxy.ts accepts forms of the public origin only', async () => {
    const { app } = await import('../../examples/behind-a-proxy.ts')
    const server = await listen(app)
    const proxied = { 'x-forwarded-for': '2.3.4.5', 'x-forwarded-proto': 'https' }
    const post = async (origin: string) => {
      const browser = new FormBrowser(server, origin)
      const form = new URLSearchParams({ csrf_token: await browser.token('/') })
      return (await browser.post('/', form, proxied)).status
    }
    expect(await post('https://example.com')).toBe(200)
    expect(await post('https://attacker.example')).toBe(403)
  })

  it('drafts.ts names the draft, and removes it after the save', async () => {
    const { app } = await import('../../examples/drafts.ts')
    const browser = new FormBrowser(await listen(app))
    expect(await (await browser.get('/')).text()).toContain('draft="post/new/body"')
    const form = new URLSearchParams({ csrf_token: await browser.token('/'), body: 'hello' })
    const saved = (await browser.post('/', form)).headers.get('location') ?? ''
    expect(await (await browser.get(saved)).text()).toContain('content="post/new/body"')
  })

  it('guarded-route.ts asks for a code, guards a route, and asks for the password again', async () => {
    const { app } = await import('../../examples/guarded-route.ts')
    const browser = new FormBrowser(await listen(app))
    const login = async (more: Record<string, string>) => {
      const csrf_token = await browser.token('/login')
      const fields = { csrf_token, username: 'ada', password: 'quillgate', ...more }
      return (await browser.post('/login', new URLSearchParams(fields))).status
    }
    const change = async () => {
      const form = new URLSearchParams({ csrf_token: await browser.token('/login') })
      const response = await browser.post('/email', form)
      return [response.status, await response.text()]
    }
    expect(await change()).toEqual([401, expect.stringContaining('authentication_required')])
    expect(await login({})).toBe(401)
    expect(await login({ code: '123456', remember: 'on' })).toBe(303)
    expect(await login({})).toBe(303)
    expect(await change()).toEqual([200, 'changed the address of 1'])
    advance(301)
    expect(await change()).toEqual([303, expect.stringContaining('/login')])
    expect(await login({})).toBe(303)
    expect(await change()).toEqual([200, 'changed the address of 1'])

    // The endpoints that check only the password are off.
    const password = { password: 'quillgate' }
    expect(await call(browser, 'token', { ...password, username: 'ada' })).toBe(404)
    expect(await call(browser, 'reauthenticate', password)).toBe(404)

    // A wrong code does not extend the time of the remembered second factor.
    advance(10 * 86_400)
    expect(await login({ code: '000000', remember: 'on' })).toBe(303)
    advance(5 * 86_400)
    expect(await login({})).toBe(401)
  })

  it('token-login.ts asks for a code until the device is remembered', async () => {
    const { app } = await import('../../examples/token-login.ts')
    const browser = new FormBrowser(await listen(app))
    const login = async (more: Record<string, unknown>) => {
      const body = JSON.stringify({ username: 'ada', password: 'quillgate', ...more })
      const json = { 'content-type': 'application/json' }
      const response = await browser.post('/api/login', body, json)
      return { status: response.status, tokens: (await response.json()) as object }
    }
    expect((await login({})).status).toBe(401)
    expect((await login({ code: '000000' })).status).toBe(401)
    const { status, tokens } = await login({ code: '123456' })
    expect(status).toBe(200)
    const { device_credential } = tokens as { device_credential: string }
    advance(20 * 86_400)
    const again = await login({ device_credential, code: '000000' })
    expect(again.status).toBe(200)
    // The wrong code has not extended the time of the remembered second factor.
    advance(11 * 86_400)
    expect((await login({ ...again.tokens, code: '' })).status).toBe(401)
  })

  it('post-admin.ts renders the editor for the text of a post only', async () => {
    const { editPost } = await import('../../examples/post-admin.ts')
    const [head, title, body] = editPost({ title: 'A title', body: '*text*' })
    expect(head).toContain('<script type="module"')
    expect(title).not.toContain('<markdown-editor')
    expect(body).toContain('<markdown-editor')
    expect(body).toContain('40rem')
  })

  it('no-huge-pictures.ts rejects large images, and no other files', async () => {
    const { NoHugePictures } = await import('../../examples/no-huge-pictures.ts')
    const handler = new NoHugePictures()
    const file = {
      name: 'a',
      type: 'image/png',
      size: 2_000_001,
      stream: () => new ReadableStream(),
    }
    expect(() => handler.validate(file)).toThrow('larger than 2 MB')
    expect(handler.validate({ ...file, size: 2_000_000 })).toBeUndefined()
    expect(handler.validate({ ...file, type: 'video/mp4' })).toBeUndefined()
  })

  it('smaller-images.ts reduces large images, and keeps animations', async () => {
    const { SmallerImages } = await import('../../examples/smaller-images.ts')
    const { transform } = new SmallerImages()
    const reduce = async (image: Buffer) => {
      const { body, ...rest } = await transform({ type: 'image/png', body: Readable.from([image]) })
      return { ...rest, bytes: await buffer(body) }
    }
    const still = png(5120, 2, [255, 0, 0])
    expect(await reduce(still)).toMatchObject({ type: 'image/png', width: 2560, height: 1 })
    const afterHeader = 33
    const animated = Buffer.concat([
      still.subarray(0, afterHeader),
      chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])),
      chunk('fcTL', Buffer.from([0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 2, ...Buffer.alloc(14)])),
      still.subarray(afterHeader),
    ])
    expect(await reduce(animated)).toEqual({ type: 'image/png', bytes: animated })
  })

  it('privacy.ts exports and erases the data of a user', async () => {
    const { app } = await import('../../examples/privacy.ts')
    const browser = await signIn(await listen(app))
    const data = await (await browser.get('/account/export')).json()
    expect(data).toMatchObject({ format: 'quillgate.trusted-devices.user/1', user_id: '1' })
    const form = new URLSearchParams({ csrf_token: await browser.token('/account') })
    expect((await browser.post('/account', form)).status).toBe(303)
    expect((await browser.get('/account')).headers.get('location')).toBe('/login')
  })

  it('outbox.ts sends a signed webhook', async () => {
    const requests: IncomingMessage[] = []
    const hook = createServer((req, res) => {
      requests.push(req)
      res.end()
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    vi.stubEnv('WEBHOOK_URL', `http://127.0.0.1:${(hook.address() as AddressInfo).port}`)
    vi.stubEnv('WEBHOOK_SECRET', `whsec_${btoa('a secret of thirty-two characters')}`)
    const { app, devices } = await import('../../examples/outbox.ts')
    await signIn(await listen(app))
    await devices.registry.revokeAll('1')
    await devices.outbox.deliver()
    await vi.waitFor(() => expect(requests).toHaveLength(1), 10_000)
    expect(requests[0]?.headers['webhook-signature']).toMatch(/^v1,/)
    hook.close()
    vi.unstubAllEnvs()
  })

  it('react/server.ts saves a text', async () => {
    const { app } = await import('../../examples/react/server.ts')
    const browser = new FormBrowser(await listen(app), 'http://localhost:5173')
    const page = async () =>
      (await (await browser.get('/api/page')).json()) as { csrfToken: string; posts: string[] }
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ body: '**bold**' })
    expect((await browser.post('/api/posts', body, json)).status).toBe(403)
    const headers = { ...json, 'x-csrf-token': (await page()).csrfToken }
    expect((await browser.post('/api/posts', body, headers)).status).toBe(201)
    expect((await page()).posts.join()).toContain('<strong>bold</strong>')
  })

  it('wiki.ts renders other syntax', async () => {
    const { app } = await import('../../examples/wiki.ts')
    const page = await (await new FormBrowser(await listen(app)).get('/')).text()
    expect(page).toContain('<a href="/wiki/Home"')
    expect(page).toContain('preview-worker="/static/preview.js"')
  })
})

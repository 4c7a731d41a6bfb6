import { once } from 'node:events'
import { request as connect } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { png } from '../support/png.ts'
import { type Application, createApplication } from './application.ts'
import { type Framework, frameworks, type Listening } from './frameworks.ts'

describe.each(frameworks)('the HTTP contract in $name', (framework) => {
  let application: Application
  let server: Listening
  let browser: Browser
  const open = async (proxy = false): Promise<void> => {
    application = createApplication(proxy ? proxiesOf(framework) : undefined)
    server = await framework.serve(application, { proxy })
    browser = new Browser(server.origin)
  }
  const close = async (): Promise<void> => {
    await server.close()
    await application.gate.close()
  }
  beforeEach(() => open())
  afterEach(close)

  it('signs in in a route of the application, in addition to its own cookie', async () => {
    const response = await browser.signIn()
    const names = response.headers.getSetCookie().map((cookie) => cookie.split('=')[0])
    expect(names).toContain('own')
    expect(names.length).toBeGreaterThan(1)
    expect(await browser.json('/me')).toEqual({ user: '1' })
  })

  it('identifies no user without cookies', async () => {
    expect(await browser.json('/me')).toEqual({ user: null })
  })

  it('signs out', async () => {
    await browser.signIn()
    await browser.post('/logout', {})
    expect(await browser.json('/me')).toEqual({ user: null })
  })

  it('rejects a sign-in without a CSRF token, and one with a wrong password', async () => {
    const { token } = await browser.json('/login')
    const right = { name: 'ada', password: 'quillgate' }
    expect((await browser.post('/login', right)).status).toBe(403)
    expect((await browser.post('/login', { ...right, password: 'x', token })).status).toBe(401)
  })

  it('rejects a sign-in from another origin', async () => {
    const { token } = await browser.json('/login')
    const body = { name: 'ada', password: 'quillgate', token }
    const headers = { origin: 'http://evil.test' }
    expect((await browser.post('/login', body, headers)).status).toBe(403)
  })

  it('lists the devices of the user', async () => {
    expect((await browser.send('/trusted-devices')).status).toBe(401)
    await browser.signIn()
    const list = await browser.send('/trusted-devices')
    expect(list.status).toBe(200)
    expect(JSON.stringify(await list.json())).toContain(browser.device)
  })

  it('changes devices only with the CSRF token', async () => {
    await browser.signIn()
    const path = `/trusted-devices/${browser.device}`
    const method = 'DELETE'
    expect((await browser.send(path, { method })).status).toBe(403)
    const headers = { 'x-csrf-token': browser.token }
    expect((await browser.send(path, { method, headers })).ok).toBe(true)
    expect(await browser.json('/me')).toEqual({ user: null })
  })

  it('stores an upload, and makes it permanent', async () => {
    await browser.signIn()
    const uploaded = await browser.upload(png(8, 8, [255, 0, 0]))
    expect(uploaded.status).toBe(201)
    const { url } = (await uploaded.json()) as { url: string }
    const headers = { 'x-csrf-token': browser.token }
    const finalized = await browser.post('/md-editor/finalize', { text: `![a](${url})` }, headers)
    const { replacements } = (await finalized.json()) as { replacements: Record<string, string> }
    const permanent = replacements[url]
    expect(permanent).toEqual(expect.any(String))
    const image = await browser.send(String(permanent))
    expect(image.headers.get('content-type')).toBe('image/png')
    expect((await image.bytes()).length).toBeGreaterThan(0)
  })

  it('stores the files of a form that is sent without JavaScript', async () => {
    await browser.signIn()
    const body = new FormData()
    body.append('csrf_token', browser.token)
    body.append('text', 'Hello')
    body.append('text-files', new Blob([png(8, 8, [255, 0, 0])], { type: 'image/png' }), 'a.png')
    const answer = await browser.send('/form', { method: 'POST', body })
    const { text } = (await answer.json()) as { text: string }
    const url = /^Hello\n\n!\[a\]\((\S+)\)\n$/.exec(text)?.[1] ?? ''
    expect((await browser.send(url)).headers.get('content-type')).toBe('image/png')
  })

  it('rejects an upload that is too large', async () => {
    await browser.signIn()
    const bytes = new Uint8Array(3_000_000)
    bytes.set(png(8, 8, [255, 0, 0]))
    const response = await browser.upload(bytes)
    expect(await response.json()).toMatchObject({ code: 'file_too_large' })
  })

  it('ends an upload whose client disconnects, and continues', async () => {
    await browser.signIn()
    const client = connect(new URL('/md-editor/upload', server.origin), {
      method: 'POST',
      headers: {
        ...browser.headers(),
        'x-csrf-token': browser.token,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': 100_000,
      },
    })
    client.on('error', () => {})
    client.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n')
    await once(client, 'socket')
    await new Promise((resolve) => client.write(png(8, 8, [0, 0, 0]), resolve))
    client.destroy()
    expect(await browser.json('/me')).toEqual({ user: '1' })
    expect((await browser.upload(png(8, 8, [0, 0, 255]))).status).toBe(201)
  })

  it('leaves other paths to the application', async () => {
    const response = await browser.send('/elsewhere')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ by: 'application' })
  })

  it('answers unknown paths below its own with problem details', async () => {
    const response = await browser.send('/trusted-devices/a/b/c')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.status).toBe(404)
  })

  it('renews a session cookie in addition to the cookie of the application', async () => {
    await browser.signIn()
    application.clock.advance(2 * DAY)
    const response = await browser.send('/me')
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringContaining('own=1'),
      expect.stringMatching(/^(?!own)/),
    ])
  })

  it('renews no session cookie on a publicly cacheable response', async () => {
    await browser.signIn()
    application.clock.advance(2 * DAY)
    const response = await browser.send('/me?public')
    expect(response.headers.getSetCookie()).toEqual([expect.stringContaining('own=1')])
    expect(await response.json()).toEqual({ user: '1' })
  })

  it('reads the forwarded client address only behind a trusted proxy', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1, 192.0.2.1' }
    const direct = await browser.send('/address', { headers })
    const own = framework.hasAddress ? '127.0.0.1' : null
    expect(await direct.json()).toEqual({ address: own })
    await close()
    await open(true)
    const proxied = await browser.send('/address', { headers })
    expect(await proxied.json()).toEqual({ address: '192.0.2.1' })
  })
})

const DAY = 86_400_000

function proxiesOf(framework: Framework): readonly string[] | undefined {
  return framework.hasTrustSetting ? undefined : (framework.trustedProxies ?? ['127.0.0.1'])
}

/** A browser with the cookies of one user. */
class Browser {
  token = ''
  device = ''
  readonly #cookies = new Map<string, string>()
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  headers(): Record<string, string> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    return { origin: this.#origin, cookie }
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.headers(), ...(init.headers as Record<string, string>) }
    const response = await fetch(new URL(path, this.#origin), { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }

  async json(path: string): Promise<Record<string, string | null>> {
    return (await this.send(path)).json() as Promise<Record<string, string | null>>
  }

  post(path: string, body: object, more: Record<string, string> = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...more }
    return this.send(path, { method: 'POST', body: JSON.stringify(body), headers })
  }

  async signIn(): Promise<Response> {
    const { token } = await this.json('/login')
    const response = await this.post('/login', { name: 'ada', password: 'quillgate', token })
    expect(response.status).toBe(200)
    const answer = (await response.clone().json()) as { token: string; device: string }
    this.token = answer.token
    this.device = answer.device
    return response
  }

  upload(bytes: Uint8Array): Promise<Response> {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png')
    const headers = { 'x-csrf-token': this.token }
    return this.send('/md-editor/upload', { method: 'POST', body, headers })
  }
}

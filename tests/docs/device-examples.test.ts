import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { FormBrowser } from '../support/form-browser.ts'
import { useExamples } from './use-examples.ts'

const { listen } = useExamples()

vi.mock('maxmind', () => ({
  open: async () => ({
    get: () => ({ country: { iso_code: 'FR' }, city: { names: { en: 'Paris' } } }),
  }),
}))

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

describe('the examples of trusted devices', () => {
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

  it('login-alerts.ts prints mails about a new device and a new country', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    // The receivers of other examples in this process print other lines.
    const mails = () => log.mock.calls.filter(([to]) => to === 'ada@example.com')
    const { app } = await import('../../examples/login-alerts.ts')
    const origin = await listen(app)
    const from = (country: string) => ({
      'x-forwarded-for': '2.3.4.5',
      'cf-ipcountry': country,
    })
    await signIn(origin, from('DE'))
    await signIn(origin, from('DE'))
    await vi.waitFor(() => expect(mails()).toHaveLength(1), 10_000)
    const [, subject, text] = mails()[0] ?? []
    expect(subject).toContain('New sign-in')
    expect(text).toContain('http://localhost:3000/login-alerts/')
    await signIn(origin, from('FR'))
    await vi.waitFor(() => expect(mails()).toHaveLength(2), 10_000)
    expect(mails()[1]?.[1]).toContain('new country')
    expect(mails()[1]?.[2]).toContain('France')
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
})

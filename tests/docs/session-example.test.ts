import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Quillgate } from '@quillgate/server'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import express, { type Express } from 'express'
import session, { type MemoryStore, type SessionData } from 'express-session'
import passport from 'passport'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secret } from '../../examples/application.ts'

/** A browser that keeps its cookies and follows no redirects. */
class HttpBrowser {
  readonly cookies = new Map<string, string>()
  readonly origin: string

  constructor(origin: string) {
    this.origin = origin
  }

  async send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.origin}${path}`, {
      redirect: 'manual',
      ...init,
      method,
      headers: {
        cookie,
        origin: this.origin,
        ...(init.headers as Record<string, string> | undefined),
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    return response
  }

  /** Returns another browser with the same cookies. */
  copy(): HttpBrowser {
    const copy = new HttpBrowser(this.origin)
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    return copy
  }

  /** Returns the CSRF token in the form of the sign-in page. */
  async token(): Promise<string> {
    return (
      /name="csrf_token" value="([^"]+)"/.exec(
        await (await this.send('GET', '/login')).text(),
      )?.[1] ?? ''
    )
  }

  async signIn(password = 'quillgate'): Promise<number> {
    const body = new URLSearchParams({ csrf_token: await this.token(), username: 'ada', password })
    return (await this.send('POST', '/login', { body })).status
  }

  async home(): Promise<string> {
    const response = await this.send('GET', '/')
    return response.status === 200
      ? response.text()
      : `${response.status} ${response.headers.get('location')}`
  }

  /** Calls an endpoint of the component, as a script of the page does. */
  async call(method: string, path: string, json?: unknown): Promise<Response> {
    const headers = { 'x-csrf-token': await this.token(), 'content-type': 'application/json' }
    return this.send(method, `/trusted-devices${path}`, {
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
  }

  /** Posts to a route of the application, as a script of the page does. */
  async post(path: string): Promise<Response> {
    return this.send('POST', path, { headers: { 'x-csrf-token': await this.token() } })
  }

  async list(): Promise<{ uid: string; is_current: boolean }[]> {
    const { devices } = (await (await this.call('GET', '')).json()) as {
      devices: { uid: string; is_current: boolean }[]
    }
    return devices
  }
}

interface Example {
  readonly app: Express
  readonly devices: TrustedDevices
  readonly gate: Quillgate
  readonly store: MemoryStore
}

async function listen(app: Express): Promise<{ origin: string; close: () => void }> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

describe('the example with express-session and Passport', () => {
  const cwd = process.cwd()
  let folder: string
  let close: () => void
  let devices: TrustedDevices
  let gate: Quillgate
  let store: MemoryStore
  let origin: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-session-example-'))
    process.chdir(folder)
    const example: Example = await import('../../examples/express-session-devices.ts')
    devices = example.devices
    gate = example.gate
    store = example.store
    const listening = await listen(example.app)
    origin = listening.origin
    close = listening.close
    browsers = [new HttpBrowser(origin), new HttpBrowser(origin)]
  })
  afterAll(async () => {
    close()
    await gate.close()
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
  })

  // The sign-in limit is five attempts per minute and address, so the tests share these browsers.
  const laptop = (): HttpBrowser => browsers[0]
  const phone = (): HttpBrowser => browsers[1]
  let browsers: readonly [HttpBrowser, HttpBrowser]

  /** Creates the application without trusted devices. It uses the same sessions and users. */
  function before(): Express {
    const app = express()
    app.use(session({ store, secret, resave: false, saveUninitialized: false }), passport.session())
    app.post('/login', (req, res, next) =>
      req.logIn({ id: '1', name: 'ada' }, (error) => (error ? next(error) : res.end())),
    )
    return app
  }

  /** Returns a browser that signed in before trusted devices were installed. */
  async function signedInBefore(): Promise<HttpBrowser> {
    const old = await listen(before())
    const browser = new HttpBrowser(old.origin)
    await browser.send('POST', '/login')
    old.close()
    const moved = new HttpBrowser(origin)
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
    return moved
  }

  it('keeps users signed in after the installation: a session gets one device, even for parallel requests', async () => {
    const browser = await signedInBefore()
    const pages = await Promise.all(Array.from({ length: 5 }, () => browser.copy().home()))
    expect(new Set(pages)).toEqual(new Set(['You are ada']))
    expect(await browser.home()).toBe('You are ada')
    expect(await browser.list()).toMatchObject([{ is_current: true }])
  })

  it('ends an adopted session when its device is revoked, even if the store still returns it', async () => {
    const browser = await signedInBefore()
    expect(await browser.home()).toBe('You are ada')
    const sid =
      decodeURIComponent(browser.cookies.get('connect.sid') ?? '')
        .slice(2)
        .split('.')[0] ?? ''
    const saved = await new Promise<SessionData | null | undefined>((resolve) =>
      store.get(sid, (_, data) => resolve(data)),
    )
    expect(await devices.registry.revokeAll('1')).toBeGreaterThan(0)
    expect(await browser.home()).toBe('Nobody is signed in')
    // A slow request may write an old copy of the session back, with or without a device.
    for (const deviceUid of [saved?.deviceUid, undefined]) {
      store.set(sid, { ...saved, deviceUid } as SessionData)
      expect(await browser.home()).toBe('303 /login')
    }
    expect((await devices.registry.list('1')).devices).toEqual([])
  })

  it('ends the session of a device that is revoked in another browser, and removes it from the store', async () => {
    expect(await laptop().home()).toBe('Nobody is signed in')
    expect((await laptop().post('/email')).status).toBe(401)
    expect(await laptop().signIn('wrong')).toBe(401)
    expect([await laptop().signIn(), await phone().signIn()]).toEqual([303, 303])
    expect([await laptop().home(), await phone().home()]).toEqual(['You are ada', 'You are ada'])
    const stolen = phone().copy()

    const target = (await laptop().list()).find((device) => !device.is_current)
    expect((await laptop().call('DELETE', `/${target?.uid}`)).status).toBe(204)

    expect(await phone().home()).toBe('Nobody is signed in') // The store has deleted the session.
    expect(await stolen.home()).toBe('Nobody is signed in')
    expect(await laptop().home()).toBe('You are ada')
  })

  it('keeps one device for a browser that signs in again, and ends its earlier session', async () => {
    const [first] = await laptop().list()
    const before = laptop().copy()
    expect(await laptop().signIn()).toBe(303)
    expect(await laptop().list()).toMatchObject([{ uid: first?.uid, is_current: true }])
    expect(await before.home()).toBe('Nobody is signed in')
  })

  it('keeps a session whose id changes', async () => {
    const before = laptop().copy()
    expect((await laptop().post('/rotate')).status).toBe(204)
    expect(laptop().cookies.get('connect.sid')).not.toBe(before.cookies.get('connect.sid'))
    expect(await laptop().home()).toBe('You are ada')
    expect(await before.home()).toBe('Nobody is signed in')
  })

  it('guards a sensitive route', async () => {
    const response = await laptop().post('/email')
    expect([response.status, await response.text()]).toEqual([200, 'changed for 1'])
  })

  it('rejects requests from pages of other sites', async () => {
    for (const path of ['/email', '/rotate'])
      expect((await laptop().send('POST', path)).status).toBe(403)
    expect(await laptop().home()).toBe('You are ada')
  })

  it('signs out at the next request, even if the store still has the session', async () => {
    expect(await phone().signIn()).toBe(303)
    const [device] = (await phone().list()).filter((each) => each.is_current)
    // Simulates a failure of the store. The session still exists, but its device now belongs to
    // another session.
    await devices.updateSession({ uid: device?.uid ?? '', userId: '1' }, 'of another time')
    expect(await phone().home()).toBe('303 /login')
    expect(await phone().home()).toBe('Nobody is signed in')
  })

  it('ends the session when the logout endpoint is called', async () => {
    expect((await laptop().call('POST', '/logout')).status).toBe(204)
    expect(await laptop().home()).toBe('Nobody is signed in')
  })
})

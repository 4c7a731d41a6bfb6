import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import express, { type Express } from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SECRET } from '../support/house.ts'

function createApplication(): { app: Express; close: () => Promise<void> } {
  const users = createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }])
  const gate = createQuillgate({ secret: SECRET, database: 'sqlite::memory:' })
  const devices = createTrustedDevices(gate, { users })
  const app = express()
  app.use(mount(gate))
  app.use(async (req, _res, next) => {
    const session = await devices.authenticate(req)
    Object.assign(req, { user: session?.user, device: session?.device })
    next()
  })
  app.post('/login', express.urlencoded(), async (req, res) => {
    const user = await users.verifyCredentials?.(req.body.username, req.body.password)
    if (!user) return void res.sendStatus(401)
    await devices.login(user, req)
    res.redirect('/')
  })
  app.get('/', async (req, res) => {
    const { user = null } = req as unknown as { user?: { id: string } }
    res.json({ user: user?.id ?? null, token: await gate.csrfToken(req) })
  })
  return { app, close: () => gate.close() }
}

let origin: string
let stop: () => Promise<void>
const cookies = new Map<string, string>()

beforeEach(async () => {
  cookies.clear()
  const { app, close } = createApplication()
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stop = async () => {
    server.closeAllConnections()
    server.close()
    await close()
  }
})
afterEach(() => stop())

async function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(origin + path, {
    method,
    redirect: 'manual',
    headers: { origin, cookie, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (line.includes('Max-Age=0')) cookies.delete(name)
    else cookies.set(name, value)
  }
  return response
}

const page = async (): Promise<{ user: string | null; token: string }> =>
  (await request('GET', '/')).json() as never
const login = (): Promise<Response> =>
  request(
    'POST',
    '/login',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'username=ada&password=pw',
  )

describe('in an Express application', () => {
  it('signs in, lists, revokes all others without a body, and logs out', async () => {
    expect((await page()).user).toBeNull()
    expect((await login()).status).toBe(302)
    const { user, token } = await page()
    expect(user).toBe('1')
    const list = (await (await request('GET', '/trusted-devices')).json()) as {
      devices: { address: string }[]
    }
    expect(list.devices).toMatchObject([{ address: '127.0.0.1', is_current: true }])

    const headers = { 'x-csrf-token': token }
    const json = { ...headers, 'content-type': 'application/json' }
    const kept = await request(
      'POST',
      '/trusted-devices/revoke-all',
      json,
      '{"keep_current": true}',
    )
    expect([kept.status, await kept.json()]).toEqual([200, { revoked_count: 0 }])
    const all = await request('POST', '/trusted-devices/revoke-all', headers)
    expect([all.status, await all.json()]).toEqual([200, { revoked_count: 1 }])
    expect((await page()).user).toBeNull()

    await login()
    const again = await page()
    expect((await request('POST', '/trusted-devices/logout')).status).toBe(403)
    expect(
      (await request('POST', '/trusted-devices/logout', { 'x-csrf-token': again.token })).status,
    ).toBe(204)
    expect((await page()).user).toBeNull()
  })
})

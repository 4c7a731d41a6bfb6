import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mount } from '@quillgate/server/node'
import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf, send } from '../support/client.ts'
import { createDevices } from '../support/create-devices.ts'
import { type House, openHouse, QUIET, SECRET } from '../support/house.ts'

const UID = '01900000-0000-7000-8000-000000000000'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

describe('every endpoint', () => {
  it.each([
    ['/trusted-devices', 'GET, HEAD', ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']],
    ['/trusted-devices/token', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/trusted-devices/token/refresh', 'POST', ['GET']],
    ['/trusted-devices/token/verify', 'POST', ['GET']],
    ['/trusted-devices/reauthenticate', 'POST', ['GET', 'PATCH']],
    ['/trusted-devices/logout', 'POST', ['GET', 'DELETE']],
    ['/trusted-devices/revoke-all', 'POST', ['GET', 'DELETE']],
    [`/trusted-devices/${UID}`, 'PATCH, DELETE', ['GET', 'POST', 'PUT']],
    ['/trusted-devices/nonsense', 'PATCH, DELETE', ['GET']],
  ])(
    '%s answers methods other than %s with 405, before authentication',
    async (path, allow, methods) => {
      for (const method of methods) {
        const response = await send(house.devices, method, path)
        expect(response.headers.get('allow')).toBe(allow)
        expect(await problemOf(response)).toBe('405 method_not_allowed')
      }
    },
  )

  it.each([
    ['GET', '/trusted-devices'],
    ['PATCH', `/trusted-devices/${UID}`],
    ['DELETE', `/trusted-devices/${UID}`],
    ['DELETE', '/trusted-devices/nonsense'],
    ['POST', '/trusted-devices/logout'],
    ['POST', '/trusted-devices/revoke-all'],
    ['POST', '/trusted-devices/reauthenticate'],
  ])('%s %s requires authentication before it validates anything', async (method, path) => {
    const response = await send(house.devices, method, path, {
      ...(method === 'GET' ? {} : { body: 'no json' }),
    })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await problemOf(response)).toBe('401 authentication_required')
  })

  it('ignores unknown properties of a body', async () => {
    const client = new BearerClient(house.devices)
    const unknown = { admin: true, user_id: '2', constructor: 1, 'keep current': true }
    const login = { username: 'ada', password: 'pw', ...unknown }
    expect(
      (await send(house.devices, 'POST', '/trusted-devices/token', { json: login })).status,
    ).toBe(200)
    await client.login()
    const path = `/trusted-devices/${client.uid}`
    const edited = await client.send('PATCH', path, {
      json: { name: 'Phone', ip_address: '1.2.3.4', ...unknown },
    })
    expect(await jsonOf(edited)).toMatchObject({
      name: 'Phone',
      user_id: '1',
      last_address: '203.0.113.10',
    })
    const revoked = await client.send('POST', '/trusted-devices/revoke-all', {
      json: { keep_current: true, ...unknown },
    })
    expect(await jsonOf(revoked)).toEqual({ revoked_count: 1 })
  })

  it('sends no-store, nosniff and its own content type', async () => {
    const client = new BearerClient(house.devices)
    const responses = [
      await client.login(),
      await client.send('GET', '/trusted-devices'),
      await client.send('GET', '/trusted-devices/nothing/here'),
      await client.send('POST', '/trusted-devices/logout'),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 204])
    for (const { headers } of responses) {
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
        'no-store',
        'nosniff',
      ])
    }
  })

  it('answers HEAD like GET, without a body', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const response = await client.send('HEAD', '/trusted-devices')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('has a path below basePath', async () => {
    const devices = house.reopenWith({ basePath: '/api/devices' })
    expect(devices.url('list')).toBe('/api/devices')
    expect(devices.url('tokenRefresh')).toBe('/api/devices/token/refresh')
    expect(() => devices.url('nope' as 'list')).toThrow(
      expect.objectContaining({ code: 'unknown_endpoint' }),
    )
    expect(() => devices.url('constructor' as 'list')).toThrow(/Known names are list, token/)
    expect(devices.url('device', { uid: UID })).toBe(`/api/devices/${UID}`)
    expect(devices.url('secondFactor', { uid: UID })).toBe(`/api/devices/${UID}/second-factor`)
    expect(devices.url('device', { uid: 'a/b' })).toBe('/api/devices/a%2Fb')
    // @ts-expect-error the types also require the parameter
    expect(() => devices.url('device')).toThrow(/url\('device'\) needs \{ uid \}/)
    expect(() => devices.url('device', { uid: '' })).toThrow(/needs \{ uid \}/)
    expect(devices.handles('http://localhost/api/devices')).toBe(true)
    expect(devices.handles('/api/devices/token')).toBe(true)
    expect(devices.handles('/elsewhere')).toBe(false)
    expect(devices.handles(new Request('http://localhost/api/devices/x'))).toBe(true)
    expect(devices.handles(new URL('http://localhost/api/devices-of-others'))).toBe(false)
    expect(await problemOf(await send(devices, 'GET', '/api/devices'))).toBe(
      '401 authentication_required',
    )
    expect(await problemOf(await send(devices, 'GET', '/trusted-devices'))).toBe('404 not_found')
  })

  it('returns the number of revoked devices with 200, and sends no body with a 204 (S15)', async () => {
    const [a, b] = [new BearerClient(house.devices), new BearerClient(house.devices)]
    for (const client of [a, b]) await client.login()
    const server = createServer(mount(house.devices.gate)).listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const { port } = server.address() as AddressInfo
    const raw = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1').on('data', (chunk: Buffer) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      const auth = `host: x\r\nauthorization: Bearer ${a.access}\r\n`
      socket.write(`DELETE /trusted-devices/${b.uid} HTTP/1.1\r\n${auth}\r\n`)
      socket.write(
        `POST /trusted-devices/revoke-all HTTP/1.1\r\n${auth}content-length: 0\r\nconnection: close\r\n\r\n`,
      )
    })
    server.close()
    const [, deleted = '', revoked = ''] = raw.split('HTTP/1.1 ')
    expect(deleted).toMatch(/^204 [\s\S]*\r\n\r\n$/)
    expect(revoked).toMatch(/^200 [\s\S]*\r\n\r\n[\s\S]*\{"revoked_count":1\}/)
  })
})

describe('POST /trusted-devices/revoke-all', () => {
  it('accepts no body, an empty body, or a boolean', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const all = (sending: object): Promise<Response> =>
      client.send('POST', '/trusted-devices/revoke-all', sending)
    expect(await problemOf(await all({ json: { keep_current: 'yes' } }))).toBe(
      '400 invalid_request',
    )
    expect(await problemOf(await all({ json: [] }))).toBe('400 invalid_request')
    expect(await problemOf(await all({ body: new Blob(['x']) }))).toBe('415 unsupported_media_type')
    expect((await all({ json: { keep_current: true } })).status).toBe(200)
    expect((await all({ body: new Blob([]) })).status).toBe(200)
    await client.login()
    expect((await all({})).status).toBe(200)
  })

  it('removes the session cookie unless the device is kept', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const hasSession = (): boolean =>
      [...browser.cookies.keys()].some((name) => name.includes('session'))
    await browser.send('POST', '/trusted-devices/revoke-all', { json: { keep_current: true } })
    expect(hasSession()).toBe(true)
    await browser.send('POST', '/trusted-devices/revoke-all')
    expect(hasSession()).toBe(false)
  })
})

describe('POST /trusted-devices/reauthenticate', () => {
  it('checks the password of the signed-in user', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const prove = (json: unknown): Promise<Response> =>
      client.send('POST', '/trusted-devices/reauthenticate', { json })
    expect((await prove({ password: 'pw' })).status).toBe(204)
    expect(await problemOf(await prove({ password: 'no' }))).toBe('401 invalid_credentials')
    expect(await problemOf(await prove({}))).toBe('400 invalid_request')
  })

  it('rejects the right password of another user', async () => {
    const users = { ...house.users, usernameOf: () => 'grace' }
    const client = new BearerClient(house.reopenWith({ users }))
    await client.login()
    expect(
      await problemOf(
        await client.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'pw' } }),
      ),
    ).toBe('401 invalid_credentials')
  })
})

describe('fetch', () => {
  it('answers 500 without details when the application fails, and logs the error', async () => {
    const errors: unknown[] = []
    const devices = createDevices({
      secret: SECRET,
      database: 'sqlite::memory:',
      users: {
        findById: () => null,
        verifyCredentials: () => {
          throw new Error('the users table is on fire')
        },
      },
      logger: { warn: () => {}, error: (_message, error) => errors.push(error) },
    })
    const response = await send(devices, 'POST', '/trusted-devices/token', {
      json: { username: 'a', password: 'b' },
    })
    expect(await response.clone().text()).not.toContain('fire')
    expect(await problemOf(response)).toBe('500 internal_error')
    expect(errors).toMatchObject([{ message: 'the users table is on fire' }])
    await devices.close()
  })

  it('answers 503 while the database is unavailable, and recovers', async () => {
    const devices = house.reopenWith({
      database: 'postgres://nobody@127.0.0.1:9/none',
      logger: QUIET,
    })
    const response = await send(devices, 'GET', '/trusted-devices')
    expect(response.headers.get('retry-after')).not.toBeNull()
    expect(await problemOf(response)).toBe('503 database_unavailable')
  })
})

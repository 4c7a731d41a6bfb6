import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf, send } from '../support/client.ts'
import { createDevices } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

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
})

describe('POST /trusted-devices/token', () => {
  const token = (json: unknown): Promise<Response> =>
    send(house.devices, 'POST', '/trusted-devices/token', { json })

  it('returns tokens, the uid and a device credential, and sets no cookie', async () => {
    const response = await token({ username: 'ada', password: 'pw' })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(Object.keys(await jsonOf(response))).toEqual([
      'access',
      'refresh',
      'device_uid',
      'device_credential',
    ])
  })

  it('answers equally for a wrong password, an unknown user and a blocked user with a wrong password', async () => {
    house.users.set({ id: '3', username: 'gone', password: 'pw', active: false })
    const answers = await Promise.all(
      [
        { username: 'ada', password: 'no' },
        { username: 'nobody', password: 'pw' },
        { username: 'gone', password: 'no' },
      ].map(async (body) => {
        const response = await token(body)
        return [response.status, await jsonOf(response)]
      }),
    )
    expect(answers[0]).toMatchObject([401, { code: 'invalid_credentials' }])
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect(await problemOf(await token({ username: 'gone', password: 'pw' }))).toBe(
      '403 inactive_account',
    )
    expect(house.signals.events).toEqual([])
  })

  it.each([
    [{}],
    [{ username: 'ada' }],
    [{ username: '', password: 'pw' }],
    [{ username: 'ada', password: 7 }],
    [{ username: ['ada'], password: 'pw' }],
    [{ username: 'ada', password: 'x'.repeat(1025) }],
    [{ username: 'ada', password: 'pw', device_credential: 1 }],
    [[]],
    [null],
    ['ada'],
  ])('rejects %j', async (body) => {
    expect(await problemOf(await token(body))).toBe('400 invalid_request')
    expect((await house.devices.registry.list('1')).devices).toEqual([])
  })

  it('names the invalid properties', async () => {
    expect(await jsonOf(await token({ username: 7 }))).toMatchObject({
      errors: [{ field: 'username' }, { field: 'password' }],
    })
  })

  it('reads only JSON, of limited size', async () => {
    const post = (body: string, type: string | null): Promise<Response> =>
      send(house.devices, 'POST', '/trusted-devices/token', {
        body,
        headers: type ? { 'content-type': type } : {},
      })
    const good = '{"username":"ada","password":"pw"}'
    expect(
      await problemOf(await post('username=ada&password=pw', 'application/x-www-form-urlencoded')),
    ).toBe('415 unsupported_media_type')
    expect(await problemOf(await post(good, 'text/plain'))).toBe('415 unsupported_media_type')
    expect(await problemOf(await post('{"username": ', 'application/json'))).toBe(
      '400 malformed_json',
    )
    expect(await problemOf(await post('', 'application/json'))).toBe('400 malformed_json')
    expect(
      await problemOf(await post(`{"username":"${'a'.repeat(20_000)}"`, 'application/json')),
    ).toBe('413 body_too_large')
    expect(await problemOf(await post(`${'['.repeat(8000)}`, 'application/json'))).toBe(
      '400 invalid_request',
    )
    expect(
      await problemOf(await post(`${'['.repeat(8000)}${']'.repeat(8000)}`, 'application/json')),
    ).toBe('400 invalid_request')
    expect((await post(good, 'application/json; charset=utf-8')).status).toBe(200)
  })

  it('does not exist without verifyCredentials, and neither does reauthenticate', async () => {
    const { findById } = house.users
    const devices = house.reopenWith({ users: { findById } })
    expect(
      await problemOf(await send(devices, 'POST', '/trusted-devices/token', { json: {} })),
    ).toBe('404 not_found')
    expect(
      await problemOf(await send(devices, 'POST', '/trusted-devices/reauthenticate', { json: {} })),
    ).toBe('404 not_found')
  })
})

describe('POST /trusted-devices/token/refresh and /verify', () => {
  it.each([[{}], [{ refresh: 7 }], [{ refresh: '' }], [{ refresh: 'x'.repeat(5000) }], [[]]])(
    'reject %j',
    async (json) => {
      expect(
        await problemOf(
          await send(house.devices, 'POST', '/trusted-devices/token/refresh', { json }),
        ),
      ).toBe('400 invalid_request')
      expect(
        await problemOf(
          await send(house.devices, 'POST', '/trusted-devices/token/verify', { json }),
        ),
      ).toBe('400 invalid_request')
    },
  )

  it('return exactly the documented properties', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const response = await client.send('POST', '/trusted-devices/token/refresh', {
      json: { refresh: client.refresh },
    })
    expect(Object.keys(await jsonOf(response))).toEqual(['access', 'refresh'])
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

describe('loginRateLimit', () => {
  it('applies per address, and per /64 for IPv6', async () => {
    const devices = house.reopen({ loginRateLimit: '5/minute' })
    const statusFrom = async (address: string, username: string): Promise<Response> =>
      new BearerClient(devices, address).login(username, 'no')
    for (let index = 0; index < 5; index++) await statusFrom(`2001:db8::${index}`, `user${index}`)
    const limited = await statusFrom('2001:db8::ffff', 'user9')
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(limited)).toBe('429 rate_limited')
    expect((await statusFrom('2001:db8:0:1::1', 'user9')).status).toBe(401)
    house.clock.advance(60_000)
    expect((await statusFrom('2001:db8::ffff', 'user9')).status).toBe(401)
  })

  it('ignores forwarded headers of untrusted clients (S05)', async () => {
    const devices = house.reopen({ loginRateLimit: '5/minute' })
    const statuses = []
    for (let index = 0; index < 6; index++) {
      const response = await send(devices, 'POST', '/trusted-devices/token', {
        address: '198.51.100.1',
        headers: { 'x-forwarded-for': `203.0.113.${index}`, forwarded: `for=203.0.113.${index}` },
        json: { username: `user${index}`, password: 'no' },
      })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('applies to reauthenticate', async () => {
    const devices = house.reopen({ loginRateLimit: '2/minute' })
    const client = new BearerClient(devices)
    await client.login()
    const statuses = []
    for (let index = 0; index < 3; index++) {
      statuses.push(
        (await client.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'no' } }))
          .status,
      )
    }
    expect(statuses).toEqual([401, 401, 429])
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
      logger: SILENT,
    })
    const response = await send(devices, 'GET', '/trusted-devices')
    expect(response.headers.get('retry-after')).not.toBeNull()
    expect(await problemOf(response)).toBe('503 database_unavailable')
  })
})

const SILENT = { warn: () => {}, error: () => {} }

import { createHmac } from 'node:crypto'
import { sqliteEngine } from '@quillgate/server/testing'
import { SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deriveKeys } from '../../../server/src/core/keys.ts'
import { BearerClient, Browser, problemOf, send } from '../support/client.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

let house: House
let client: BearerClient
let graces: BearerClient
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
  client = new BearerClient(house.devices)
  await client.login()
  graces = new BearerClient(house.devices)
  await graces.login('grace')
  house.signals.take()
})
afterEach(() => house.close())

const list = (access: string, headers: Record<string, string> = {}): Promise<Response> =>
  send(house.devices, 'GET', '/trusted-devices', {
    headers: { authorization: `Bearer ${access}`, ...headers },
  })

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('an access token', () => {
  const now = (): number => house.clock() / 1000
  const key = deriveKeys(SECRET, 'access-token')[0]
  const header = { alg: 'HS256', typ: 'at+jwt' }
  const good = (): Record<string, unknown> => ({
    iss: 'quillgate',
    aud: 'quillgate:trusted-devices',
    sub: '1',
    device_uid: client.uid,
    generation: 1,
    counter: 0,
    iat: now(),
    exp: now() + 300,
  })
  const mint = (claims: object, protectedHeader: object = header, secret: Buffer = key): string => {
    const signed = `${base64(protectedHeader)}.${base64(claims)}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }

  it('is accepted if we issued it (so that the rejections below prove something)', async () => {
    expect((await list(mint(good()))).status).toBe(200)
  })

  it.each<[string, () => string]>([
    ['garbage', () => 'a.b.c'],
    ['empty', () => ''],
    ['two words', () => 'x y'],
    ['of alg none', () => `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(good())}.`],
    ['of alg none with our signature', () => mint(good(), { alg: 'none', typ: 'at+jwt' })],
    ['of alg HS512 in the header', () => mint(good(), { alg: 'HS512', typ: 'at+jwt' })],
    [
      'of alg RS256 with our key as its public key',
      () => mint(good(), { alg: 'RS256', typ: 'at+jwt' }),
    ],
    ['of another type', () => mint(good(), { alg: 'HS256', typ: 'JWT' })],
    ['with an unknown critical header', () => mint(good(), { ...header, crit: ['x'], x: 1 })],
    ['signed with the secret itself', () => mint(good(), header, Buffer.from(SECRET))],
    [
      'signed with the key of refresh tokens',
      () => mint(good(), header, deriveKeys(SECRET, 'refresh-token')[0]),
    ],
    ['for another audience', () => mint({ ...good(), aud: 'somebody-else' })],
    ['from another issuer', () => mint({ ...good(), iss: 'somebody-else' })],
    ['expired', () => mint({ ...good(), exp: now() })],
    ['without an end', () => mint({ ...good(), exp: undefined })],
    ['from the future', () => mint({ ...good(), iat: now() + 3600, exp: now() + 4000 })],
    ['not yet valid', () => mint({ ...good(), nbf: now() + 3600 })],
    ['without a subject', () => mint({ ...good(), sub: undefined })],
    ['with a subject that is not a string', () => mint({ ...good(), sub: 1 })],
    ['without a device', () => mint({ ...good(), device_uid: undefined })],
    ['with a device that is not a UUID', () => mint({ ...good(), device_uid: 'zzz' })],
    ['with a device that is an object', () => mint({ ...good(), device_uid: { uid: client.uid } })],
    [
      'with an unknown device',
      () => mint({ ...good(), device_uid: '01900000-0000-7000-8000-000000000000' }),
    ],
    ['of another user', () => mint({ ...good(), sub: '2' })],
    ['with another user’s device', () => mint({ ...good(), device_uid: graces.uid })],
    [
      'of another user, with that user’s device and our login',
      () => mint({ ...good(), sub: '2', generation: 9 }),
    ],
    ['nested: a token in a token', () => mint(mint(good()) as unknown as object)],
    ['nested a thousand times', () => mint(JSON.parse('['.repeat(1000) + ']'.repeat(1000)))],
    ['with another spelling of its header', () => mint(good(), { typ: 'at+jwt', alg: 'HS256' })],
    [
      'with a key in its header',
      () => mint(good(), { ...header, jwk: { kty: 'oct', k: 'AAAA' } }, Buffer.from('AAAA')),
    ],
    ['of another login', () => mint({ ...good(), generation: 2 })],
    ['ahead of its device', () => mint({ ...good(), counter: 1 })],
    ['with claims of wrong types', () => mint({ ...good(), generation: '1', counter: null })],
    ['a refresh token', () => client.refresh],
    ['a device credential', () => client.credential ?? ''],
    ['of 1 MB', () => 'x'.repeat(1_000_000)],
    ['of 1 MB, well-formed', () => mint({ ...good(), padding: 'x'.repeat(1_000_000) })],
    ['cut short', () => client.access.slice(0, -1)],
    [
      'with a changed payload',
      () => {
        const [head, , signature] = client.access.split('.')
        return `${head}.${base64({ ...good(), sub: '2' })}.${signature}`
      },
    ],
  ])('is rejected: %s', async (what, make) => {
    const code = what === 'expired' ? 'token_expired' : 'authentication_required'
    expect(await problemOf(await list(make()))).toBe(`401 ${code}`)
    const verified = await send(house.devices, 'POST', '/trusted-devices/token/verify', {
      json: { token: make() },
    })
    // The client's own refresh token is valid. The other tokens must be rejected.
    if (make() !== client.refresh) expect([400, 401, 413]).toContain(verified.status)
    expect(house.signals.events).toEqual([])
  })

  it('is rejected if jose signed it with another key', async () => {
    const forged = await new SignJWT(good())
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(Buffer.from('0'.repeat(32)))
    expect((await list(forged)).status).toBe(401)
  })
})

describe('a refresh token', () => {
  it.each<[string, () => string]>([
    ['garbage', () => 'garbage'],
    ['an access token', () => client.access],
    ['a device credential', () => client.credential ?? ''],
    ['with another counter', () => withByte(client.refresh, 24, 1)],
    ['with another device', () => withByte(client.refresh, 5, 7)],
    ['with another version', () => withByte(client.refresh, 0, 3)],
    ['a session cookie', () => ''],
  ])('is rejected without side effects: %s', async (what, make) => {
    let token = make()
    if (what === 'a session cookie') {
      const browser = new Browser(house.devices)
      await browser.login()
      token = [...browser.cookies].find(([name]) => name.includes('session'))?.[1] ?? ''
      house.signals.take()
    }
    const response = await send(house.devices, 'POST', '/trusted-devices/token/refresh', {
      json: { refresh: token },
    })
    expect(await problemOf(response)).toBe('401 token_invalid')
    expect(house.signals.events).toEqual([])
    expect((await client.refreshTokens()).status).toBe(200)
  })
})

describe('the Authorization header and cookies', () => {
  it('reject a bad bearer token even with a valid cookie', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const cookie = browser.cookieHeader()
    for (const authorization of [
      'Bearer nonsense',
      'Bearer',
      'Bearer ',
      'DPoP nonsense',
      'bearer a b',
    ]) {
      const response = await send(house.devices, 'GET', '/trusted-devices', {
        headers: { cookie, authorization },
      })
      expect(await problemOf(response)).toBe('401 authentication_required')
    }
    const basic = { cookie, authorization: 'Basic YWRhOnB3' }
    expect((await send(house.devices, 'GET', '/trusted-devices', { headers: basic })).status).toBe(
      200,
    )
  })

  it('are separate: token endpoints ignore cookies', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const { devices } = await house.devices.registry.list('1')
    const response = await send(house.devices, 'POST', '/trusted-devices/token', {
      headers: { cookie: browser.cookieHeader() },
      json: { username: 'ada', password: 'pw' },
    })
    expect(response.status).toBe(200)
    expect((await house.devices.registry.list('1')).devices).toHaveLength(devices.length + 1)
  })

  it('separate http from https cookies, which are __Host- and Secure', async () => {
    const secure = new Browser(house.devices, { origin: 'https://example.com' })
    const { headers } = await secure.login()
    for (const line of headers.getSetCookie()) {
      expect(line).toMatch(/^__Host-quillgate_/)
      expect(line).toMatch(/; Path=\/; .*Secure; SameSite=Lax$/)
      expect(/; HttpOnly; /.test(line)).toBe(!line.startsWith('__Host-quillgate_csrf='))
    }
    expect(await secure.visit()).not.toBeNull()
    const plain = new Browser(house.devices)
    const login = await plain.login()
    for (const line of login.headers.getSetCookie()) expect(line).not.toContain('Secure')
    for (const [name, value] of plain.cookies) secure.cookies.set(name, value)
    for (const name of [...secure.cookies.keys()])
      if (name.startsWith('__Host-')) secure.cookies.delete(name)
    expect(await secure.visit()).toBeNull()
  })

  it.each(['', 'x', 'A'.repeat(76), 'A'.repeat(100_000), '%00', '../../etc/passwd'])(
    'do not authenticate the session cookie %j',
    async (value) => {
      const response = await send(house.devices, 'GET', '/trusted-devices', {
        headers: { cookie: `quillgate_session=${value}` },
      })
      expect(await problemOf(response)).toBe('401 authentication_required')
    },
  )
})

describe('a CSRF token', () => {
  const state = async (): Promise<unknown> => (await house.devices.registry.list('1')).devices

  it('is required for every change with cookies, and nothing changes without it', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const before = await state()
    house.signals.take()
    const attacks: Record<string, string>[] = [
      {},
      { 'x-csrf-token': 'x' },
      { 'x-csrf-token': browser.csrfToken({ id: '1' }), origin: 'https://evil.example' },
      { 'x-csrf-token': browser.csrfToken({ id: '2' }) },
      { 'x-csrf-token': new Browser(house.devices).csrfToken({ id: '1' }) },
      {
        'x-csrf-token': browser.csrfToken({ id: '1' }),
        origin: 'null',
        'sec-fetch-site': 'cross-site',
      },
    ]
    for (const headers of attacks) {
      for (const [method, path, json] of [
        ['DELETE', `/trusted-devices/${client.uid}`, undefined],
        ['PATCH', `/trusted-devices/${client.uid}`, { name: 'pwned' }],
        ['POST', '/trusted-devices/logout', undefined],
        ['POST', '/trusted-devices/revoke-all', { keep_current: true }],
        ['POST', '/trusted-devices/reauthenticate', { password: 'pw' }],
      ] as const) {
        const response = await browser.send(
          method,
          path,
          { headers, ...(json ? { json } : {}) },
          null,
        )
        expect(await problemOf(response)).toBe('403 csrf_failed')
      }
    }
    expect(await state()).toEqual(before)
    expect(house.signals.events).toEqual([])
    expect((await browser.send('DELETE', `/trusted-devices/${client.uid}`)).status).toBe(204)
  })

  it('is verified by the application if it has its own check', async () => {
    const asked: unknown[] = []
    const devices = house.reopenWith({
      csrf: {
        verify: async (_context, token, user) => {
          asked.push([token, user?.id])
          return token === 'ours'
        },
      },
    })
    const browser = new Browser(devices)
    await browser.login()
    const logout = (token: string): Promise<Response> =>
      browser.send('POST', '/trusted-devices/logout', { headers: { 'x-csrf-token': token } }, null)
    expect(await problemOf(await logout('theirs'))).toBe('403 csrf_failed')
    expect((await logout('ours')).status).toBe(204)
    expect(asked).toEqual([
      ['theirs', '1'],
      ['ours', '1'],
    ])
  })
})

describe('a uid in the path', () => {
  it.each([
    'x',
    '0',
    '%00',
    '%ff',
    '%E0%A4%A',
    '..%2f..%2fetc',
    "1'%20OR%20'1'='1",
    '01900000000070008000000000000000',
    '{01900000-0000-7000-8000-000000000000}',
    'urn:uuid:01900000-0000-7000-8000-000000000000',
    '01900000-0000-7000-8000-00000000000g',
    '01900000-0000-7000-8000-0000000000000',
    'x'.repeat(5000),
  ])('is rejected: %s', async (uid) => {
    expect(await problemOf(await client.send('DELETE', `/trusted-devices/${uid}`))).toBe(
      '400 invalid_uid',
    )
  })
})

describe('the response for a rejected request', () => {
  it('does not grow with the request', async () => {
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`m${index}`, 1]))
    for (const body of [many, { name: 'x'.repeat(12_000) }, { name: 7, ['x'.repeat(12_000)]: 1 }]) {
      const refusal = await client.send('PATCH', `/trusted-devices/${client.uid}`, { json: body })
      const text = await refusal.text()
      expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(text.length).toBeLessThan(3000)
    }
  })
})

describe('the headers of a login', () => {
  it('are truncated, whatever their size and content', async () => {
    for (const userAgent of [
      'x'.repeat(1_000_000),
      'Mozilla/5.0 ('.repeat(50_000),
      '<script>alert(1)</script>',
      "'; DROP TABLE quillgate_device; --",
      'Mozilla/5.0 \u00e9\u00ff',
    ]) {
      const hostile = new BearerClient(house.devices, '203.0.113.10', userAgent)
      expect((await hostile.login()).status).toBe(200)
    }
    for (const device of (await house.devices.registry.list('1')).devices) {
      expect(device.userAgent.length).toBeLessThanOrEqual(512)
      expect(device.name.length).toBeLessThanOrEqual(255)
    }
  })

  it('do not change the address, even with ten thousand forwarded addresses', async () => {
    const spoofed = Array.from({ length: 10_000 }, (_, index) => `198.51.${index % 256}.7`).join(
      ', ',
    )
    const response = await send(house.devices, 'POST', '/trusted-devices/token', {
      address: '203.0.113.10',
      headers: { 'x-forwarded-for': spoofed, 'cf-ipcountry': 'JP' },
      json: { username: 'ada', password: 'pw' },
    })
    expect(response.status).toBe(200)
    expect((await house.devices.registry.list('1')).devices[0]).toMatchObject({
      address: '203.0.113.10',
      country: 'DE',
    })
  })
})

function withByte(token: string, at: number, value: number): string {
  const bytes = Buffer.from(token, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(at) ^ value, at)
  return bytes.toString('base64url')
}

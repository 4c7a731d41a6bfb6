import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mount } from '@quillgate/server/node'
import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { deriveKeys } from '../../server/src/core/keys.ts'
import { AccessTokens } from '../src/tokens/access-token.ts'
import { BearerClient, Browser, jsonOf, problemOf, type Sending, send } from './support/client.ts'
import type { TestDevicesOptions, TestSettings } from './support/create-devices.ts'
import { type House, openHouse, QUIET, SECRET } from './support/house.ts'

// The numbers refer to the list of flaws of the original project. These tests fail if a flaw
// returns. S11 (races) and S26 (cost) are in `original-flaws-races.test.ts`.

const DAY = 86_400_000

let house: House
afterEach(() => house.close())

async function open(
  settings: TestSettings = {},
  more: Partial<TestDevicesOptions> = {},
): Promise<void> {
  house = await openHouse(sqliteEngine(), settings, more)
}

async function signIn(address = '203.0.113.10', username = 'ada'): Promise<BearerClient> {
  const client = new BearerClient(house.devices, address)
  expect((await client.login(username)).status).toBe(200)
  return client
}

const patch = (by: BearerClient, uid: string, json: unknown) =>
  by.send('PATCH', `/trusted-devices/${uid}`, { json })
const remove = (by: BearerClient, uid: string) => by.send('DELETE', `/trusted-devices/${uid}`)
const get = (by: BearerClient, sending: Sending = {}) => by.send('GET', '/trusted-devices', sending)
const revokeAll = (by: BearerClient) => by.send('POST', '/trusted-devices/revoke-all')
const devicesOfAda = async () => (await house.devices.registry.list('1')).devices
const [GERMANY, FRANCE, JAPAN] = ['203.0.113.10', '198.51.100.7', '192.0.2.44']

describe('flaws of the original: signals and their order', () => {
  it.each([1, 2])(
    'compares with the countries before the login, although a limit of %i evicts them (S01)',
    async (maxDevices) => {
      await open({ maxDevices })
      await signIn(GERMANY)
      await signIn(FRANCE)
      expect(house.signals.names()).toContain('suspicious_login')
      await signIn(GERMANY)
      const alarms = house.signals.take().filter(({ signal }) => signal === 'suspicious_login')
      // With a limit of two devices, the first country is still known. With a limit of one, it is
      // unknown.
      expect(alarms).toHaveLength(maxDevices === 1 ? 2 : 1)
      expect(alarms[0]).toMatchObject({ previousCountries: new Set(['DE']) })
    },
  )

  it('continues when a receiver throws, and publishes only committed events (S02)', async () => {
    await open({}, { logger: QUIET })
    const seen: boolean[] = []
    house.devices.signals.deviceCreated.connect(async ({ device }) => {
      seen.push((await devicesOfAda()).some(({ uid }) => uid === device.uid))
    })
    for (const signal of Object.values(house.devices.signals)) {
      signal.connect(() => {
        throw new Error('a broken audit log')
      })
    }
    const [a, b, c] = [await signIn(), await signIn(), await signIn()]
    expect(seen).toEqual([true, true, true])
    expect((await remove(a, b.uid)).status).toBe(204)
    expect((await get(b)).status).toBe(401)
    expect((await c.send('POST', '/trusted-devices/logout')).status).toBe(204)
    expect((await revokeAll(a)).status).toBe(200)
    expect(await devicesOfAda()).toEqual([])
  })

  it('gives all signals properties with the same names and types (S14)', async () => {
    await open({ refreshGrace: 0 })
    const a = await signIn()
    const thief = a.copy()
    for (let index = 0; index < 2; index++) await a.refreshTokens()
    await thief.refreshTokens()
    const events = house.signals.take()
    expect(events.map(({ signal }) => signal)).toEqual([
      'device_created',
      'device_revoked',
      'device_compromised',
    ])
    for (const event of events) {
      expect(event).toMatchObject({
        user: { id: '1' },
        device: { uid: a.uid },
        eventId: expect.any(String),
      })
      expect(event.at).toBeInstanceOf(Date)
    }
  })
})

describe('flaws of the original: who may revoke', () => {
  it('applies a delay to the acting device, so it does not protect a new intruder (S03)', async () => {
    await open({ deleteDelay: 86_400, editDelay: 86_400, accessTokenLifetime: 1_000_000 })
    const owner = await signIn()
    house.clock.advance(2 * DAY)
    const intruder = await signIn()
    expect(await problemOf(await remove(intruder, owner.uid))).toBe('403 device_session_too_recent')
    expect(await problemOf(await patch(intruder, owner.uid, { can_delete_others: false }))).toBe(
      '403 device_session_too_recent',
    )
    expect((await remove(owner, intruder.uid)).status).toBe(204)
  })

  it.each([
    [{ allowGlobalDelete: false }, '403 device_deletion_disabled'],
    [{ defaultCanDeleteOthers: false }, '403 device_lacks_delete_permission'],
    [{ deleteDelay: 3600 }, '403 device_session_too_recent'],
    [{ stepUpAge: 1 }, '403 step_up_required'],
  ] as const)('checks the same permissions for revoke-all: %j (S04)', async (settings, problem) => {
    await open(settings)
    const [a] = [await signIn(), await signIn()]
    house.clock.advance(60_000)
    expect(await problemOf(await revokeAll(a))).toBe(problem)
    expect(await devicesOfAda()).toHaveLength(2)
  })

  it('signs out every other device after a password change, and publishes the reason (S25)', async () => {
    await open()
    const [a, b] = [await signIn(), await signIn()]
    house.signals.take()
    await house.devices.registry.revokeAll('1', { keep: a.uid, reason: 'password_changed' })
    expect([
      (await get(a)).status,
      (await get(b)).status,
      (await b.refreshTokens()).status,
    ]).toEqual([200, 401, 401])
    expect(house.signals.events).toMatchObject([{ deviceUid: b.uid, reason: 'password_changed' }])
  })
})

describe('flaws of the original: addresses and places', () => {
  it.each([
    ['the entry before the proxy’s', '6.6.6.6, 203.0.113.10', '203.0.113.10'],
    ['a chain with fewer entries than proxies', '203.0.113.10', '203.0.113.10'],
    ['a chain of text', 'evil<script>', null],
    ['a text before an address', 'evil, 203.0.113.10', '203.0.113.10'],
    ['a port', '203.0.113.10:1234', '203.0.113.10'],
    ['no header', '', '10.0.0.1'],
  ])('ignores and does not store %s (S05)', async (_name, forwarded, address) => {
    const asked: string[] = []
    await open(
      {},
      {
        trustedProxies: ['10.0.0.0/8'],
        locate: (ip) => {
          asked.push(ip)
          return null
        },
      },
    )
    const client = new BearerClient(house.devices, '10.0.0.1')
    const response = await send(house.devices, 'POST', '/trusted-devices/token', {
      address: '10.0.0.1',
      headers: forwarded === '' ? {} : { 'x-forwarded-for': forwarded },
      json: { username: 'ada', password: 'pw' },
    })
    expect([response.status, client.uid]).toEqual([200, ''])
    const [device] = await devicesOfAda()
    expect([address, '10.0.0.1']).toContain(device?.address)
    if (address !== null) expect(device?.address).toBe(address)
    for (const ip of asked) expect(ip).toBe('203.0.113.10')
  })

  it('limits logins despite forged headers of untrusted clients (S05)', async () => {
    await open({ loginRateLimit: '2/minute' })
    const statuses = []
    for (let index = 0; index < 4; index++) {
      const headers = { 'x-forwarded-for': `203.0.113.${index}` }
      const json = { username: `user${index}`, password: 'x' }
      statuses.push(
        (
          await send(house.devices, 'POST', '/trusted-devices/token', {
            address: FRANCE,
            headers,
            json,
          })
        ).status,
      )
    }
    expect(statuses).toEqual([401, 401, 429, 429])
  })

  it('keeps a session when only the address changes (S06)', async () => {
    await open({ lastSeenInterval: 0 })
    const client = await signIn(GERMANY)
    house.signals.take()
    const addresses = [
      '2001:db8::1',
      GERMANY,
      '2001:DB8:0:0::1',
      '2001:db8::2',
      FRANCE,
      '::ffff:203.0.113.10',
      GERMANY,
    ]
    for (const address of addresses) expect((await get(client, { address })).status).toBe(200)
    expect((await client.send('POST', '/trusted-devices/logout', { address: JAPAN })).status).toBe(
      204,
    )
    expect(house.signals.names()).toEqual(['device_revoked'])
  })

  it('looks up public addresses only, once per login, even if the place is unknown (S09)', async () => {
    const asked: string[] = []
    await open(
      {},
      {
        locate: (ip) => {
          asked.push(ip)
          return null
        },
      },
    )
    for (const address of [
      GERMANY,
      '10.1.2.3',
      '127.0.0.1',
      '192.168.1.1',
      '::1',
      'fe80::1',
      FRANCE,
    ])
      await signIn(address)
    expect(asked).toEqual([GERMANY, FRANCE])
  })

  it.each([
    ['throws', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise<null>(() => {})],
    ['is much too long', () => ({ country: 'x'.repeat(5000), city: 'y'.repeat(5000) })],
    ['contains no useful text', () => 7 as never],
  ])('accepts the login with an unknown country if the lookup %s (S10)', async (_name, locate) => {
    await open({ locateTimeout: 0.05 }, { locate })
    await signIn()
    expect((await devicesOfAda())[0]?.country).toBeNull()
  })

  it('compares with the countries of devices that the login itself evicts (S12)', async () => {
    await open({ maxDevices: 1 })
    await signIn(GERMANY)
    await signIn(JAPAN)
    expect(house.signals.take().at(-1)).toMatchObject({
      signal: 'suspicious_login',
      previousCountries: new Set(['DE']),
    })
  })

  it('stores a country as a code, whatever its spelling (S13)', async () => {
    const answers = ['DE', 'de', ' DE ', 'De']
    await open({}, { locate: () => ({ country: answers.shift() ?? '' }) })
    for (let index = 0; index < 4; index++) await signIn()
    const known = new Set((await devicesOfAda()).map(({ country }) => country))
    expect(known).toContain('DE')
    expect([...known].every((country) => country === 'DE' || country === null)).toBe(true)
    expect(house.signals.names()).not.toContain('suspicious_login')
  })
})

describe('flaws of the original: tokens and accounts', () => {
  it('revokes the device and publishes it when a refresh token is reused, but not after a lost answer (S07)', async () => {
    await open({ refreshGrace: 10 })
    const client = await signIn()
    const thief = client.copy()
    await client.refreshTokens()
    // A client whose response was lost sends the same request, so the server accepts it.
    expect((await thief.copy().refreshTokens()).status).toBe(200)
    await client.refreshTokens()
    await client.refreshTokens()
    house.clock.advance(11_000)
    expect(await problemOf(await thief.refreshTokens())).toBe('401 token_reused')
    expect((await get(client)).status).toBe(401)
    expect(house.signals.names()).toEqual([
      'device_created',
      'device_revoked',
      'device_compromised',
    ])
  })

  it('rejects the tokens of a blocked account, and does not update its last use (S21)', async () => {
    await open({ lastSeenInterval: 0 })
    const client = await signIn()
    house.users.set({ id: '1', username: 'ada', password: 'pw', active: false })
    house.clock.advance(1000)
    const [before] = await devicesOfAda()
    expect(await problemOf(await client.refreshTokens())).toBe('401 inactive_account')
    for (const token of [client.refresh, client.access]) {
      const response = await client.send('POST', '/trusted-devices/token/verify', {
        json: { token },
      })
      expect(await problemOf(response)).toBe('401 inactive_account')
    }
    expect((await devicesOfAda())[0]).toEqual(before)
  })

  it('keeps one device for a browser that signs in daily, without signals (S22)', async () => {
    await open({ maxDevices: 2 })
    const other = await signIn(FRANCE)
    const browser = new Browser(house.devices)
    for (let day = 0; day < 5; day++) {
      await browser.login()
      house.clock.advance(DAY)
    }
    expect(await devicesOfAda()).toHaveLength(2)
    expect((await devicesOfAda()).map(({ uid }) => uid)).toContain(other.uid)
    expect(house.signals.names().filter((name) => name === 'device_created')).toHaveLength(2)
  })

  it('truncates a user agent of 20,000 characters (S23)', async () => {
    await open()
    const client = new BearerClient(house.devices, GERMANY, `Mozilla/5.0 ${'x'.repeat(20_000)}`)
    expect((await client.login()).status).toBe(200)
    expect((await devicesOfAda())[0]?.userAgent).toHaveLength(512)
  })

  it('handles a signed token without a UUID, and a client without an address (S24)', async () => {
    await open()
    const clock = () => house.clock()
    const forger = new AccessTokens({
      keys: deriveKeys(SECRET, 'access-token'),
      audience: 'quillgate:trusted-devices',
      lifetime: 300,
      clock,
    })
    const client = new BearerClient(house.devices)
    for (const uid of ['x', '', "' OR 1=1 --", '1']) {
      client.access = forger.issue({ userId: '1', uid, generation: 1, counter: 0 })
      expect((await get(client)).status).toBe(401)
    }
    const login = await send(house.devices, 'POST', '/trusted-devices/token', {
      json: { username: 'ada', password: 'pw' },
    })
    expect(login.status).toBe(200)
    expect((await devicesOfAda())[0]?.address).toBeNull()
  })

  it('stores one device and no token for a login (S28)', async () => {
    await open()
    const client = await signIn()
    const tables = await house.sql.query("SELECT name FROM sqlite_master WHERE type = 'table'")
    let all = ''
    for (const { name } of tables)
      all += JSON.stringify(await house.sql.query(`SELECT * FROM "${String(name)}"`))
    expect(await house.sql.query('SELECT COUNT(*) AS n FROM quillgate_device')).toEqual([{ n: 1 }])
    for (const secret of [client.access, client.refresh, client.credential ?? ''])
      expect(all).not.toContain(secret)
  })
})

describe('flaws of the original: endpoints and settings', () => {
  it('changes only the edited columns (S08)', async () => {
    const asked: string[] = []
    await open(
      {},
      {
        locate: (ip) => {
          asked.push(ip)
          return { country: asked.length > 2 ? 'JP' : 'DE' }
        },
      },
    )
    const [a, b] = [await signIn(), await signIn()]
    const before = (await devicesOfAda()).find(({ uid }) => uid === b.uid)
    const lookups = asked.length
    house.clock.advance(3_600_000)
    await a.refreshTokens()
    expect((await patch(a, b.uid, { name: 'Phone' })).status).toBe(200)
    const after = (await devicesOfAda()).find(({ uid }) => uid === b.uid)
    expect({ ...after }).toEqual({ ...before, name: 'Phone' })
    expect(asked.length).toBe(lookups)
  })

  it('returns the number of revoked devices with 200, and sends no body with a 204 (S15)', async () => {
    await open()
    const [a, b] = [await signIn(), await signIn()]
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

  it('gives every rejection a code without configuration (S16)', async () => {
    await open({ allowGlobalDelete: false })
    const [a, b] = [await signIn(), await signIn()]
    const unknown = '01900000-0000-7000-8000-000000000000'
    expect(await problemOf(await remove(a, b.uid))).toBe('403 device_deletion_disabled')
    expect(await problemOf(await patch(a, unknown, { name: 'x' }))).toBe('404 device_not_found')
    expect(await problemOf(await remove(a, 'x'))).toBe('400 invalid_uid')
    expect(await problemOf(await a.send('GET', '/trusted-devices/a/b'))).toBe('404 not_found')
    expect(await problemOf(await a.send('GET', '/trusted-devices/logout'))).toBe(
      '405 method_not_allowed',
    )
  })

  it('uses one code for one cause at every endpoint (S17)', async () => {
    await open()
    expect(await problemOf(await new BearerClient(house.devices).login('ada', 'no'))).toBe(
      '401 invalid_credentials',
    )
    const client = await signIn()
    house.users.set({ id: '1', username: 'ada', password: 'pw', active: false })
    expect(await problemOf(await new BearerClient(house.devices).login())).toBe(
      '403 inactive_account',
    )
    expect(await problemOf(await client.refreshTokens())).toBe('401 inactive_account')
    expect((await get(client)).headers.get('www-authenticate')).toContain('inactive_account')
    await house.devices.registry.revokeAll('1')
    expect((await get(client)).headers.get('www-authenticate')).toContain('device_not_recognized')
  })

  it('keeps its code in the response when the body has a property named code (S18)', async () => {
    await open()
    const client = await signIn()
    const body = await jsonOf(
      await patch(client, client.uid, { code: 1, detail: 2, status: 3, name: 4 }),
    )
    expect(body).toMatchObject({ code: 'invalid_request', status: 400, detail: expect.any(String) })
    expect(body['errors']).toMatchObject([{ field: 'name' }])
  })

  it.each([
    { maxDevices: -1 },
    { maxDevices: 0 },
    { maxDevices: '5' },
    { maxDevice: 5 },
    { allowGlobalDelete: null },
    { refreshTokenLifetime: 0 },
    { staleAfter: 0 },
  ])('rejects %j at start (S19)', async (settings) => {
    await open()
    expect(() => house.reopen(settings as never)).toThrow(expect.objectContaining({ status: 500 }))
  })

  it.each([0, -1, Number.NaN, 1e-9, '90' as never])(
    'rejects a cleanup of devices older than %s (S20)',
    async (olderThan) => {
      await open()
      await signIn()
      await expect(house.devices.registry.cleanup({ olderThan })).rejects.toMatchObject({
        code: 'configuration_error',
      })
      expect(await devicesOfAda()).toHaveLength(1)
    },
  )

  it('keeps values that are absent, and accepts only JSON (S27)', async () => {
    await open()
    const client = await signIn()
    expect((await patch(client, client.uid, { name: 'Phone' })).status).toBe(200)
    expect((await devicesOfAda())[0]).toMatchObject({
      name: 'Phone',
      canDeleteOthers: true,
      canEditOthers: true,
    })
    const path = `/trusted-devices/${client.uid}`
    const form = {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=x',
    }
    expect(await problemOf(await client.send('PUT', path, form))).toBe('405 method_not_allowed')
    expect(await problemOf(await client.send('PATCH', path, form))).toBe(
      '415 unsupported_media_type',
    )
  })
})

import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, problemOf, send } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
let devices: TestDevices
beforeEach(async () => {
  house = await openHouse(sqliteEngine(), { loginRateLimit: '5/minute' })
  devices = house.devices
})
afterEach(() => house.close())

const guess = async (address: string, username = 'ada'): Promise<number> =>
  (await new BearerClient(devices, address).login(username, 'wrong')).status

async function lock(username = 'ada'): Promise<void> {
  for (let index = 0; index < 100; index++) {
    expect(await guess(`198.51.100.${Math.floor(index / 5)}`, username)).toBe(401)
  }
  expect(await guess('198.51.100.200', username)).toBe(429)
}

describe('POST /trusted-devices/token', () => {
  it('stays open to the owner while one attacker is limited', async () => {
    for (let index = 0; index < 5; index++) expect(await guess('198.51.100.66')).toBe(401)
    expect(await guess('198.51.100.66')).toBe(429)
    expect((await new BearerClient(devices).login()).status).toBe(200)
  })

  it('limits the failures of an account over all addresses and spellings of its name', async () => {
    for (let index = 0; index < 100; index++) {
      await guess(`198.51.100.${Math.floor(index / 5)}`, ['ada', ' ADA', 'ａｄａ'][index % 3])
    }
    expect(await guess('198.51.100.200')).toBe(429)
    expect(await guess('198.51.100.201', 'Ada ')).toBe(429)
    expect((await new BearerClient(devices).login('grace')).status).toBe(200)
    house.clock.advance(60_000)
    expect((await new BearerClient(devices).login()).status).toBe(200)
  })

  it('does not count successes against the account', async () => {
    for (let index = 0; index < 150; index++) {
      const client = new BearerClient(devices, `198.51.100.${Math.floor(index / 5)}`)
      expect((await client.login()).status).toBe(200)
    }
  })

  it('applies the limit of an account to parallel requests', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 130 }, (_, index) => guess(`198.51.100.${index}`)),
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
  })

  it('stays open to devices of a locked account, signed in or out', async () => {
    const living = new BearerClient(devices, '203.0.113.10')
    const gone = new BearerClient(devices, '203.0.113.20')
    await living.login()
    await gone.login()
    await gone.send('POST', '/trusted-devices/logout')
    await lock()
    expect((await living.login()).status).toBe(200)
    expect((await gone.login()).status).toBe(200)
    living.address = '203.0.113.30'
    for (let index = 0; index < 5; index++)
      expect((await living.login('ada', 'wrong')).status).toBe(401)
    living.address = '203.0.113.31'
    expect((await living.login()).status).toBe(429)
  })

  it('stays closed to foreign, forged, outdated and revoked credentials', async () => {
    const client = new BearerClient(devices, '203.0.113.10')
    await client.login()
    const old = client.credential
    await client.login()
    await client.login()
    const grace = new BearerClient(devices, '203.0.113.20')
    await grace.login('grace')
    const revoked = new BearerClient(devices, '203.0.113.20')
    await revoked.login()
    await devices.registry.revoke('1', revoked.uid)
    const forged = `${client.credential?.slice(0, -8)}AAAAAAAA`
    await lock()
    for (const credential of [grace.credential, forged, old, revoked.credential, 'x']) {
      const intruder = new BearerClient(devices, '203.0.113.99')
      intruder.credential = credential
      expect((await intruder.login()).status).toBe(429)
    }
  })

  it('does not count requests that another site can make a browser send', async () => {
    for (let index = 0; index < 10; index++) {
      const response = await send(devices, 'POST', '/trusted-devices/token', {
        address: '203.0.113.10',
        headers: {
          origin: 'https://evil.example',
          'sec-fetch-site': 'cross-site',
          'content-type': 'text/plain',
        },
        body: JSON.stringify({ username: 'ada', password: 'wrong' }),
      })
      expect(await problemOf(response)).toBe('415 unsupported_media_type')
    }
    expect((await new BearerClient(devices).login()).status).toBe(200)
  })

  it('does not call verifyCredentials with names that are not valid text', async () => {
    const asked: string[] = []
    const strict = house.reopenWith({
      users: { ...house.users, verifyCredentials: (username) => void asked.push(username) },
    })
    for (const username of ['ada\0', '\ud800', 'ada']) {
      const response = await send(strict, 'POST', '/trusted-devices/token', {
        json: { username, password: 'pw' },
      })
      expect(await problemOf(response)).toBe('401 invalid_credentials')
    }
    expect(asked).toEqual(['ada'])
  })
})

describe('guardLogin', () => {
  const user = { id: '1' }

  it('returns the user for a correct password, and null for a wrong one', async () => {
    const context = new Browser(devices).context('/login', 'POST')
    expect(await devices.guardLogin(context, 'ada', () => user)).toBe(user)
    expect(await devices.guardLogin(context, 'ada', async () => null)).toBeNull()
    expect(await devices.guardLogin(context, 'ada', () => undefined)).toBeNull()
  })

  it('rejects after too many attempts from an address, without verifying the password', async () => {
    const context = new Browser(devices).context('/login', 'POST')
    for (let index = 0; index < 5; index++)
      await devices.guardLogin(context, `user${index}`, () => null)
    const verify = (): never => expect.unreachable()
    await expect(devices.guardLogin(context, 'ada', verify)).rejects.toMatchObject({
      status: 429,
      code: 'rate_limited',
    })
  })

  it('recognizes browsers with a cookie of an earlier login to the account', async () => {
    const browser = new Browser(devices)
    await browser.login({ id: '2' })
    await browser.login(user)
    await lock()
    expect(await devices.guardLogin(browser.context('/login', 'POST'), 'ada', () => user)).toBe(
      user,
    )
    const stranger = new Browser(devices, { address: '203.0.113.77' }).context('/login', 'POST')
    await expect(devices.guardLogin(stranger, 'ada', () => user)).rejects.toMatchObject({
      status: 429,
    })
  })

  it('shares its limits with the token endpoint, and accepts the credential of a bearer client', async () => {
    const client = new BearerClient(devices, '203.0.113.20')
    await client.login()
    await lock()
    const context = new Browser(devices, { address: '203.0.113.77' }).context('/login', 'POST')
    await expect(devices.guardLogin(context, 'ada', () => user)).rejects.toMatchObject({
      status: 429,
    })
    const options = { deviceCredential: String(client.credential) }
    expect(await devices.guardLogin(context, 'ada', () => user, options)).toBe(user)
  })

  it('treats every browser as unknown if usernameOf is missing', async () => {
    const nameless = house.reopenWith({
      users: { findById: (id) => ({ id }) },
      settings: { loginRateLimit: '1/minute' },
    })
    const browser = new Browser(nameless)
    await browser.login(user)
    expect(await nameless.guardLogin(browser.context('/login', 'POST'), 'ada', () => user)).toBe(
      user,
    )
  })
})

describe('POST /trusted-devices/reauthenticate', () => {
  const prove = async (client: BearerClient, password: string): Promise<number> =>
    (await client.send('POST', '/trusted-devices/reauthenticate', { json: { password } })).status

  it('stays open to the owner while a thief is limited, and counts only failures', async () => {
    const owner = new BearerClient(devices)
    const thief = new BearerClient(devices, '198.51.100.7')
    await owner.login()
    await thief.login()
    for (let index = 0; index < 5; index++) expect(await prove(thief, 'wrong')).toBe(401)
    expect(await prove(thief, 'pw')).toBe(429)
    for (let index = 0; index < 10; index++) expect(await prove(owner, 'pw')).toBe(204)
  })

  it('limits the failures of all devices of a user together', async () => {
    const clients = Array.from(
      { length: 21 },
      (_, index) => new BearerClient(devices, `198.51.100.${index}`),
    )
    for (const client of clients) await client.login()
    for (const client of clients.slice(0, 20)) {
      for (let index = 0; index < 5; index++) expect(await prove(client, 'wrong')).toBe(401)
    }
    const last = clients.at(-1)
    expect(last && (await prove(last, 'wrong'))).toBe(429)
  })
})

import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const DAY = 86_400

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())
  const open = async (settings: TestSettings = {}): Promise<House> => {
    house = await openHouse(engine, settings)
    return house
  }
  const signedIn = async (): Promise<BearerClient> => {
    const client = new BearerClient(house.devices)
    await client.login()
    return client
  }
  const isIn = async (client: BearerClient): Promise<boolean> =>
    (await client.send('GET', '/trusted-devices')).status === 200

  describe('bearer transport', () => {
    it('issues an access token that expires, and a refresh token that renews it', async () => {
      const { clock } = await open()
      const client = await signedIn()
      expect(await isIn(client)).toBe(true)
      clock.advance(300_000)
      const rejected = await client.send('GET', '/trusted-devices')
      expect(rejected.headers.get('www-authenticate')).toContain('token_expired')
      expect(await problemOf(rejected)).toBe('401 token_expired')
      const old = client.refresh
      expect((await client.refreshTokens()).status).toBe(200)
      expect(client.refresh).not.toBe(old)
      expect(await isIn(client)).toBe(true)
    })

    it('returns the newest token again while the answer may be lost', async () => {
      const { clock } = await open()
      const client = await signedIn()
      const first = client.refresh
      await client.refreshTokens()
      const second = client.refresh
      clock.advance(20 * DAY * 1000)
      await client.refreshTokens(first)
      expect(client.refresh).toBe(second)
      expect(await isIn(client)).toBe(true) // The newest token is now in use.
      clock.advance(30_000)
      await client.refreshTokens(first)
      expect(client.refresh).toBe(second)
      expect(house.signals.names()).toEqual(['device_created'])
    })

    it('revokes the device when a token is used after the grace period of its successor', async () => {
      const { clock, signals } = await open()
      const client = await signedIn()
      const thief = client.copy()
      await client.refreshTokens()
      await isIn(client)
      clock.advance(31_000)
      signals.take()
      expect(await problemOf(await thief.refreshTokens())).toBe('401 token_reused')
      expect(signals.events).toMatchObject([
        {
          signal: 'device_revoked',
          deviceUid: client.uid,
          reason: 'compromised',
          actor: client.uid,
        },
        {
          signal: 'device_compromised',
          deviceUid: client.uid,
          reason: 'refresh_token_reused',
          user: { id: '1' },
        },
      ])
      expect(await problemOf(await thief.refreshTokens())).toBe('401 device_not_recognized')
      expect(await isIn(client)).toBe(false)
      expect(await problemOf(await client.refreshTokens())).toBe('401 device_not_recognized')
      expect(signals.events).toHaveLength(2)
    })

    it('revokes the device immediately when a token is two positions behind', async () => {
      await open()
      const client = await signedIn()
      const thief = client.copy()
      await client.refreshTokens()
      await client.refreshTokens()
      expect(await problemOf(await thief.refreshTokens())).toBe('401 token_reused')
      expect(house.signals.names()).toEqual([
        'device_created',
        'device_revoked',
        'device_compromised',
      ])
    })

    it('ends a generation that is unused for its lifetime, and keeps the device', async () => {
      const { clock, devices, signals } = await open({ staleAfter: null })
      const client = await signedIn()
      const first = client.refresh
      await client.refreshTokens()
      clock.advance(30 * DAY * 1000)
      expect(await problemOf(await client.refreshTokens())).toBe('401 token_expired')
      expect(await problemOf(await client.refreshTokens(first))).toBe('401 token_expired')
      expect((await devices.registry.list('1')).devices).toHaveLength(1)
      expect(signals.names()).toEqual(['device_created'])
    })

    it('verifies each token without using it', async () => {
      const { clock, devices } = await open({ lastSeenInterval: 0 })
      const client = await signedIn()
      const [before] = (await devices.registry.list('1')).devices
      clock.advance(100_000)
      const verify = (token: string): Promise<Response> =>
        client.send('POST', '/trusted-devices/token/verify', { json: { token } })
      for (const token of [client.access, client.refresh]) {
        const response = await verify(token)
        expect([response.status, await jsonOf(response)]).toEqual([200, {}])
      }
      expect(await problemOf(await verify('garbage'))).toBe('401 token_invalid')
      expect((await devices.registry.list('1')).devices).toEqual([before])
      const old = client.refresh
      await client.refreshTokens()
      await client.refreshTokens()
      expect(await problemOf(await verify(old))).toBe('401 token_reused')
      expect((await devices.registry.list('1')).devices).toHaveLength(1)
      clock.advance(300_000)
      expect(await problemOf(await verify(client.access))).toBe('401 token_expired')
      await devices.registry.revokeAll('1')
      for (const token of [client.refresh, old]) {
        expect(await problemOf(await verify(token))).toBe('401 device_not_recognized')
      }
    })

    it('rejects a blocked account everywhere, and does not update its last use (S21)', async () => {
      const { clock, users, devices } = await open({ lastSeenInterval: 0 })
      const client = await signedIn()
      const [before] = (await devices.registry.list('1')).devices
      clock.advance(5_000)
      users.set({ id: '1', username: 'ada', password: 'pw', active: false })
      const list = await client.send('GET', '/trusted-devices')
      expect(list.headers.get('www-authenticate')).toContain('inactive_account')
      expect(await problemOf(list)).toBe('401 authentication_required')
      expect(await problemOf(await client.refreshTokens())).toBe('401 inactive_account')
      expect(
        await problemOf(
          await client.send('POST', '/trusted-devices/token/verify', {
            json: { token: client.access },
          }),
        ),
      ).toBe('401 inactive_account')
      expect(await problemOf(await client.login())).toBe('403 inactive_account')
      expect((await devices.registry.list('1')).devices).toEqual([before])
      users.set({ id: '1', username: 'ada', password: 'pw' })
      expect(await isIn(client)).toBe(true)
      users.delete('1')
      expect(await isIn(client)).toBe(false)
      expect(await problemOf(await client.refreshTokens())).toBe('401 device_not_recognized')
    })
  })

  describe('cookie transport', () => {
    it('signs a browser in, and renews its session without a script', async () => {
      const { clock } = await open()
      const browser = new Browser(house.devices)
      await browser.login()
      for (let day = 0; day < 90; day += 5) {
        const before = browser.cookieHeader()
        const session = await browser.visit()
        expect(session).toMatchObject({ user: { id: '1' }, device: { name: 'Firefox on Linux' } })
        expect(browser.cookieHeader() === before).toBe(day === 0)
        clock.advance(5 * DAY * 1000)
      }
      clock.advance(30 * DAY * 1000)
      expect(await browser.visit()).toBeNull()
    })

    it('sets no cookie while the session is fresh', async () => {
      await open()
      const browser = new Browser(house.devices)
      await browser.login()
      expect((await browser.visit())?.headers).toBeUndefined()
    })

    it('keeps a browser signed in after a renewed cookie is lost, and sends it again', async () => {
      const { clock, devices } = await open()
      const browser = new Browser(devices)
      await browser.login()
      const old = browser.copy()
      clock.advance(2 * DAY * 1000)
      const renewed = await browser.visit()
      const again = await old.visit()
      expect(again?.headers?.getSetCookie()).toEqual(renewed?.headers?.getSetCookie())
    })

    it('gives parallel requests of one page the same new session', async () => {
      const { clock, devices } = await open()
      const browser = new Browser(devices)
      await browser.login()
      clock.advance(2 * DAY * 1000)
      const sessions = await Promise.all(
        Array.from({ length: 6 }, () => devices.authenticate(browser.context('/page'))),
      )
      expect(sessions.every((session) => session?.user.id === '1')).toBe(true)
      const cookies = sessions.flatMap((session) => session?.headers?.getSetCookie() ?? [])
      expect(cookies.length).toBeGreaterThan(0)
      expect(new Set(cookies).size).toBe(1)
    })

    it('rejects an outdated cookie after the grace period, without an alarm', async () => {
      const { clock, devices, signals } = await open()
      const browser = new Browser(devices)
      await browser.login()
      const copy = browser.copy()
      clock.advance(2 * DAY * 1000)
      await browser.visit()
      await browser.visit()
      clock.advance(31_000)
      expect(await copy.visit()).toBeNull()
      expect(await browser.visit()).not.toBeNull()
      expect(signals.names()).toEqual(['device_created'])
    })
  })

  describe('authenticate', () => {
    it('stores the last use at most once per lastSeenInterval (S26)', async () => {
      const { clock, devices } = await open()
      const browser = new Browser(devices)
      await browser.login()
      // The first use after a login is always stored, because it shows that the response has
      // arrived.
      await browser.visit()
      const lastSeen = async (): Promise<number> =>
        (await devices.registry.list('1')).devices[0]!.lastSeenAt.getTime()
      const start = await lastSeen()
      clock.advance(59_000)
      browser.address = '203.0.113.20'
      await browser.visit()
      expect(await lastSeen()).toBe(start)
      clock.advance(1_000)
      await browser.visit()
      expect(await lastSeen()).toBe(start + 60_000)
      expect((await devices.registry.list('1')).devices[0]).toMatchObject({
        address: '203.0.113.10',
        lastAddress: '203.0.113.20',
        country: 'DE',
      })
    })

    it('returns a device that cannot be changed for the next request', async () => {
      const { devices, clock } = await open()
      const browser = new Browser(devices)
      await browser.login()
      const first = (await browser.visit())?.device
      first?.lastSeenAt.setTime(0)
      expect(() => Object.assign(first ?? {}, { userId: '2', canDeleteOthers: false })).toThrow(
        TypeError,
      )
      expect((await browser.visit())?.device).toMatchObject({
        userId: '1',
        lastSeenAt: new Date(clock()),
      })
    })

    it('accepts a session that another node has renewed', async () => {
      const { clock, devices } = await open()
      const browser = new Browser(devices)
      await browser.login()
      clock.advance(2 * DAY * 1000)
      const elsewhere = browser.copy()
      Object.assign(elsewhere, { devices: house.reopen() })
      await browser.copy().visit() // The copy gets the renewed cookie.
      clock.advance(2 * DAY * 1000)
      await elsewhere.visit()
      await elsewhere.visit()
      Object.assign(elsewhere, { devices })
      expect(await elsewhere.visit()).not.toBeNull()
    })
  })

  describe('secret', () => {
    it('can be replaced without signing anyone out', async () => {
      const { clock, devices } = await open()
      const client = await signedIn()
      const browser = new Browser(devices)
      await browser.login()
      const next = house.reopenWith({
        secret: ['another secret of at least thirty-two bytes', house.secret],
      })
      Object.assign(client, { devices: next })
      Object.assign(browser, { devices: next })
      expect(await isIn(client)).toBe(true)
      expect((await client.refreshTokens()).status).toBe(200)
      expect(await isIn(client)).toBe(true)
      const session = await browser.visit()
      expect(await browser.login()).toMatchObject({
        returning: true,
        device: { uid: session?.device.uid },
      })
      const { uid } = client
      await client.login()
      expect(client.uid).toBe(uid)
      clock.advance(2 * DAY * 1000)
      await browser.visit()
      const after = house.reopenWith({ secret: 'another secret of at least thirty-two bytes' })
      Object.assign(browser, { devices: after })
      Object.assign(client, { devices: after })
      expect(await browser.visit()).not.toBeNull()
      expect((await client.refreshTokens()).status).toBe(200)
    })
  })
})

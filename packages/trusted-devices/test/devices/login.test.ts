import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const BERLIN = '203.0.113.10'
const PARIS = '198.51.100.7'
const TOKYO = '192.0.2.44'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())
  const open = async (settings: TestSettings = {}): Promise<House> => {
    house = await openHouse(engine, settings)
    return house
  }
  const loginFrom = async (address: string, username = 'ada'): Promise<BearerClient> => {
    const client = new BearerClient(house.devices, address)
    expect((await client.login(username)).status).toBe(200)
    house.clock.advance(1_000)
    return client
  }

  describe('login', () => {
    it('registers a device and publishes one signal', async () => {
      const { devices, signals, clock } = await open()
      const browser = new Browser(devices)
      const { device, returning, tokens } = await browser.login()
      expect(returning).toBe(false)
      expect(tokens).toBeUndefined()
      expect(device).toMatchObject({
        userId: '1',
        name: 'Firefox on Linux',
        browser: 'Firefox 145',
        os: 'Linux',
        deviceType: 'desktop',
        city: 'Berlin',
        country: 'DE',
        address: BERLIN,
        canDeleteOthers: true,
        canEditOthers: true,
        createdAt: new Date(clock()),
        lastSeenAt: new Date(clock()),
      })
      expect(signals.events).toMatchObject([
        { signal: 'device_created', device, user: { id: '1' }, returning: false, reason: 'login' },
      ])
      expect((await devices.registry.list('1')).devices).toEqual([device])
    })

    it('finds the devices of user "1" by the number 1', async () => {
      const { devices } = await open()
      await new Browser(devices).login({ id: '1' })
      expect((await devices.registry.list(1)).devices).toHaveLength(1)
      expect((await devices.registry.list('1')).devices).toHaveLength(1)
    })

    it('separates user ids that differ in case, accents or trailing spaces', async () => {
      const { devices, users } = await open()
      const ids = ['u', 'U', 'ü', 'u ', '１']
      for (const id of ids) {
        users.set({ id, username: id, password: 'pw' })
        await new Browser(devices).login({ id })
      }
      for (const id of ids) expect((await devices.registry.list(id)).devices).toHaveLength(1)
    })

    it('publishes suspicious_login for a new country of the user', async () => {
      const { signals } = await open()
      await loginFrom(BERLIN)
      await loginFrom(PARIS)
      await loginFrom(TOKYO)
      await loginFrom(PARIS)
      const suspicious = signals.events.filter(({ signal }) => signal === 'suspicious_login')
      expect(suspicious).toMatchObject([
        { device: { country: 'FR' }, previousCountries: new Set(['DE']), reason: 'new_country' },
        { device: { country: 'JP' }, previousCountries: new Set(['DE', 'FR']) },
      ])
    })

    it('raises no alarm for a first device, an unknown country, or countries of other users', async () => {
      const { signals } = await open()
      await loginFrom(PARIS, 'grace')
      await loginFrom('8.8.8.8')
      await loginFrom(BERLIN)
      await loginFrom('8.8.8.8')
      expect(new Set(signals.names())).toEqual(new Set(['device_created']))
    })

    it('compares with the countries of devices that the limit evicts (S01)', async () => {
      const { signals } = await open({ maxDevices: 1 })
      await loginFrom(BERLIN)
      signals.take()
      await loginFrom(PARIS)
      expect(signals.names()).toEqual(['device_revoked', 'device_created', 'suspicious_login'])
      expect(signals.events[2]).toMatchObject({ previousCountries: new Set(['DE']) })
    })

    it('still knows the country of a device that the login evicts (S01)', async () => {
      const { signals } = await open({ maxDevices: 2 })
      await loginFrom(BERLIN)
      await loginFrom(PARIS)
      expect(signals.names()).toContain('suspicious_login')
      signals.take()
      await loginFrom(BERLIN)
      expect(signals.names()).toEqual(['device_revoked', 'device_created'])
    })

    it('publishes revoked (stale), revoked (limit), created, suspicious, in this order', async () => {
      const { signals, clock } = await open({
        maxDevices: 2,
        staleAfter: 100,
        lastSeenInterval: 10,
      })
      const stale = await loginFrom(BERLIN)
      clock.advance(100_000)
      const older = await loginFrom(BERLIN)
      const newer = await loginFrom(BERLIN)
      signals.take()
      clock.advance(50_000)
      const last = await loginFrom(PARIS)
      expect(stale.uid).not.toBe(older.uid)
      expect(signals.events).toMatchObject([
        { signal: 'device_revoked', deviceUid: older.uid, reason: 'limit', actor: last.uid },
        { signal: 'device_created', device: { uid: last.uid } },
        { signal: 'suspicious_login' },
      ])
      signals.take()
      clock.advance(60_000)
      await loginFrom(TOKYO)
      expect(signals.events).toMatchObject([
        { signal: 'device_revoked', deviceUid: newer.uid, reason: 'stale', actor: null },
        { signal: 'device_created' },
        { signal: 'suspicious_login', previousCountries: new Set(['DE', 'FR']) },
      ])
    })

    it('gives each event its own id and the same time', async () => {
      const { signals, clock } = await open({ maxDevices: 1 })
      await loginFrom(BERLIN)
      signals.take()
      const at = new Date(clock())
      await loginFrom(PARIS)
      expect(new Set(signals.events.map(({ eventId }) => eventId)).size).toBe(3)
      for (const event of signals.events) expect(event.at).toEqual(at)
    })
  })

  describe('maxDevices', () => {
    it('evicts the least recently seen devices, and the oldest of equals', async () => {
      const { devices, signals, clock } = await open({ maxDevices: 3, lastSeenInterval: 0 })
      const a = await loginFrom(BERLIN)
      const b = await loginFrom(BERLIN)
      const c = await loginFrom(BERLIN)
      await a.send('GET', '/trusted-devices')
      clock.advance(1_000)
      await c.refreshTokens()
      clock.advance(1_000)
      signals.take()
      const d = await loginFrom(BERLIN)
      const e = await loginFrom(BERLIN)
      const revoked = signals.events.flatMap((event) =>
        event.signal === 'device_revoked' ? [event.deviceUid] : [],
      )
      expect(revoked).toEqual([b.uid, a.uid])
      expect((await devices.registry.list('1')).devices.map(({ uid }) => uid)).toEqual([
        e.uid,
        d.uid,
        c.uid,
      ])
    })

    it('counts a browser that signs in every day as one device (S22)', async () => {
      const { devices, signals, clock } = await open({ maxDevices: 2 })
      const other = await loginFrom(PARIS)
      const browser = new Browser(devices)
      for (let day = 0; day < 5; day++) {
        await browser.login()
        clock.advance(86_400_000)
      }
      const uids = (await devices.registry.list('1')).devices.map(({ uid }) => uid)
      expect(uids).toHaveLength(2)
      expect(uids).toContain(other.uid)
      expect(signals.names().filter((name) => name === 'device_created')).toHaveLength(2)
    })

    it('applies a lowered limit at the next login, including a login of a known device', async () => {
      await open()
      const clients = [await loginFrom(BERLIN), await loginFrom(BERLIN), await loginFrom(BERLIN)]
      const devices = house.reopen({ maxDevices: 2 })
      const known = Object.assign(clients[0]!.copy(), { devices })
      expect((await known.login()).status).toBe(200)
      expect((await devices.registry.list('1')).devices.map(({ uid }) => uid)).toEqual([
        clients[0]!.uid,
        clients[2]!.uid,
      ])
    })

    it('ignores permissions, delays and switches', async () => {
      const { signals } = await open({
        maxDevices: 1,
        allowGlobalDelete: false,
        defaultCanDeleteOthers: false,
        deleteDelay: 1000,
      })
      await loginFrom(BERLIN)
      await loginFrom(BERLIN)
      expect(signals.names()).toEqual(['device_created', 'device_revoked', 'device_created'])
    })
  })

  describe('clock', () => {
    it('may return fractions of a millisecond', async () => {
      const { clock } = await open({ staleAfter: 200.0005 })
      clock.advance(0.25)
      const client = await loginFrom(BERLIN)
      clock.advance(100_000.5)
      expect((await client.refreshTokens()).status).toBe(200)
      expect((await client.login()).status).toBe(200)
    })
  })

  describe('staleAfter', () => {
    it('keeps a device of exactly that age', async () => {
      const { devices, clock } = await open({ staleAfter: 100, lastSeenInterval: 0 })
      await loginFrom(BERLIN)
      clock.advance(99_000)
      await loginFrom(BERLIN)
      expect((await devices.registry.list('1')).devices).toHaveLength(2)
      await loginFrom(BERLIN)
      expect((await devices.registry.list('1')).devices).toHaveLength(2)
    })

    it('removes only devices of the user who signs in', async () => {
      const { devices, clock } = await open({ staleAfter: 100, lastSeenInterval: 10 })
      await loginFrom(BERLIN, 'grace')
      clock.advance(1_000_000)
      await loginFrom(BERLIN, 'ada')
      expect((await devices.registry.list('2')).devices).toHaveLength(1)
    })

    it('keeps the stale device that signs in', async () => {
      const { signals, clock } = await open({ staleAfter: 100, lastSeenInterval: 10 })
      const client = await loginFrom(BERLIN)
      const { uid } = client
      clock.advance(1_000_000)
      signals.take()
      await client.login()
      expect(client.uid).toBe(uid)
      expect(signals.events).toEqual([])
    })
  })
})

import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const PARIS = '198.51.100.7'
const TOKYO = '192.0.2.44'

describeDatabases((engine) => {
  let house: House
  beforeEach(async () => {
    house = await openHouse(engine)
  })
  afterEach(() => house.close())

  describe('the device credential', () => {
    it('keeps one device for a browser, without a signal', async () => {
      const browser = new Browser(house.devices)
      const first = await browser.login()
      house.signals.take()
      house.clock.advance(60_000)
      browser.address = PARIS
      const second = await browser.login()
      expect(second).toMatchObject({
        returning: true,
        device: { uid: first.device.uid, country: 'FR', address: PARIS },
      })
      expect(second.device.createdAt).toEqual(first.device.createdAt)
      expect(house.signals.events).toEqual([])
      expect((await house.devices.registry.list('1')).devices).toEqual([second.device])
    })

    it('keeps one device for a bearer client', async () => {
      const client = new BearerClient(house.devices)
      await client.login()
      const { uid } = client
      await client.login()
      expect(client.uid).toBe(uid)
      expect(house.signals.names()).toEqual(['device_created'])
    })

    it('keeps the chosen name, and keeps the known place when the new place is unknown', async () => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login()
      await house.devices.registry.edit('1', device.uid, { name: 'My laptop' })
      browser.address = '8.8.8.8'
      expect((await browser.login()).device).toMatchObject({
        name: 'My laptop',
        address: '8.8.8.8',
        country: 'DE',
        city: 'Berlin',
      })
    })

    it('survives logout: the new device is marked as returning and raises no alarm', async () => {
      const browser = new Browser(house.devices, { address: PARIS })
      const other = new Browser(house.devices)
      await other.login()
      const first = await browser.login()
      await browser.send('POST', '/trusted-devices/logout')
      house.signals.take()
      const second = await browser.login()
      expect(second.returning).toBe(true)
      expect(second.device.uid).not.toBe(first.device.uid)
      expect(house.signals.events).toMatchObject([{ signal: 'device_created', returning: true }])
    })

    it('does not suppress the alarm for a returning browser in a third country', async () => {
      await new Browser(house.devices).login()
      const browser = new Browser(house.devices, { address: PARIS })
      await browser.login()
      await browser.send('POST', '/trusted-devices/logout')
      house.signals.take()
      browser.address = TOKYO
      expect((await browser.login()).returning).toBe(true)
      expect(house.signals.names()).toEqual(['device_created', 'suspicious_login'])
    })

    it('belongs to one user: another user of the browser gets another device', async () => {
      const browser = new Browser(house.devices)
      const ada = await browser.login({ id: '1' })
      const grace = await browser.login({ id: '2' })
      expect(grace.returning).toBe(false)
      expect((await browser.login({ id: '1' })).device.uid).toBe(ada.device.uid)
      expect((await browser.login({ id: '2' })).device.uid).toBe(grace.device.uid)
    })

    it('stays valid until its successor is used, because answers can be lost', async () => {
      const client = new BearerClient(house.devices)
      await client.login()
      const { uid, credential } = client
      for (let lost = 0; lost < 3; lost++) {
        client.credential = credential
        await client.login()
        expect(client.uid).toBe(uid)
      }
      expect(house.signals.names()).toEqual(['device_created'])
    })

    it('expires after its successor was used and the grace period has passed', async () => {
      for (const use of [
        (client: BearerClient) => client.send('GET', '/trusted-devices'),
        (client: BearerClient) => client.refreshTokens(),
      ]) {
        const owner = new BearerClient(house.devices)
        await owner.login()
        const { uid } = owner
        const thief = owner.copy()
        await thief.login()
        expect((await use(thief)).status).toBe(200)
        house.clock.advance(30_000)
        const tab = owner.copy() // A second tab signs in at the same time.
        await tab.login()
        expect(tab.uid).toBe(uid)
        house.clock.advance(1)
        house.signals.take()
        await owner.login()
        expect(owner.uid).not.toBe(uid)
        expect(house.signals.events).toMatchObject([
          { signal: 'device_created', returning: false },
          {
            signal: 'device_compromised',
            deviceUid: uid,
            reason: 'device_credential_reused',
            actor: owner.uid,
          },
        ])
      }
    })

    it('expires after its device has signed out', async () => {
      const owner = new Browser(house.devices)
      const { device } = await owner.login()
      const thief = owner.copy()
      await thief.login()
      await thief.visit()
      await thief.send('POST', '/trusted-devices/logout')
      house.clock.advance(30_001)
      house.signals.take()
      expect((await owner.login()).returning).toBe(false)
      expect(house.signals.events).toMatchObject([
        { signal: 'device_created' },
        { signal: 'device_compromised', deviceUid: device.uid },
      ])
    })

    it('stays valid indefinitely if its successor was lost', async () => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login()
      for (let round = 0; round < 3; round++) {
        await browser.visit()
        await browser.copy().login() // The response is lost, but the old session has ended.
        house.clock.advance(7 * 86_400_000)
        expect(await browser.visit()).toBeNull()
        expect((await browser.login()).device.uid).toBe(device.uid)
      }
      expect(house.signals.names()).toEqual(['device_created'])
    })

    it('creates a new device and publishes device_compromised when an outdated credential is used', async () => {
      const owner = new BearerClient(house.devices)
      await owner.login()
      const thief = owner.copy()
      await owner.login()
      await owner.login()
      house.signals.take()
      thief.address = PARIS
      await thief.login()
      expect(thief.uid).not.toBe(owner.uid)
      expect(house.signals.events).toMatchObject([
        { signal: 'device_created', device: { uid: thief.uid }, returning: false },
        { signal: 'suspicious_login', previousCountries: new Set(['DE']) },
        {
          signal: 'device_compromised',
          deviceUid: owner.uid,
          reason: 'device_credential_reused',
          actor: thief.uid,
        },
      ])
      expect((await owner.send('GET', '/trusted-devices')).status).toBe(200)
    })

    it('does not suppress the alarm if it is forged, or belongs to another user or secret', async () => {
      const client = new BearerClient(house.devices)
      await client.login()
      const grace = new BearerClient(house.devices)
      await grace.login('grace')
      const flipped = (text: string): string =>
        text.slice(0, -2) + (text.endsWith('AA') ? 'BB' : 'AA')
      for (const credential of [
        'x',
        'A'.repeat(76),
        grace.credential!,
        flipped(client.credential!),
      ]) {
        house.signals.take()
        const intruder = new BearerClient(house.devices, PARIS)
        intruder.credential = credential
        expect((await intruder.login()).status).toBe(200)
        expect(house.signals.names()).toEqual(['device_created', 'suspicious_login'])
        await intruder.send('POST', '/trusted-devices/logout')
      }
    })

    it('ends the earlier session of the device', async () => {
      const browser = new Browser(house.devices)
      await browser.login()
      const before = browser.copy()
      await browser.login()
      expect(await before.visit()).toBeNull()
      expect(await browser.visit()).not.toBeNull()

      const client = new BearerClient(house.devices)
      await client.login()
      const old = client.copy()
      await client.login()
      expect((await old.send('GET', '/trusted-devices')).status).toBe(401)
      expect((await old.refreshTokens()).status).toBe(401)
      expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
      expect(house.signals.names()).toEqual(['device_created', 'device_created'])
    })

    it('is stored for at most five users of a shared computer', async () => {
      const browser = new Browser(house.devices)
      for (let id = 1; id <= 20; id++) await browser.login({ id: String(id) })
      expect(browser.cookies.get('quillgate_device')?.split('.')).toHaveLength(5)
    })

    it('is stored once for a user who signs out and in repeatedly', async () => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login({ id: 'ada' })
      for (let count = 0; count < 6; count++) {
        await browser.login({ id: 'b' })
        await browser.send('POST', '/trusted-devices/logout')
      }
      expect(browser.cookies.get('quillgate_device')?.split('.')).toHaveLength(2)
      expect(await browser.login({ id: 'ada' })).toMatchObject({ device: { uid: device.uid } })
    })

    it('is dropped first for the user whose last login is the oldest', async () => {
      const browser = new Browser(house.devices)
      const visit = async (id: string) => {
        house.clock.advance(60_000)
        return browser.login({ id })
      }
      const { device } = await visit('ada')
      for (const id of ['b', 'c', 'd', 'e']) {
        await visit(id)
        await visit('ada')
      }
      await visit('f')
      expect(await visit('ada')).toMatchObject({ returning: true, device: { uid: device.uid } })
      expect((await visit('b')).returning).toBe(false)
      expect((await visit('e')).returning).toBe(true)
    })

    it('is stored without planted values', async () => {
      const planted = Array.from({ length: 400 }, (_, n) => n.toString(16).padStart(76, 'A'))
      const request = new Request('http://localhost/login', {
        method: 'POST',
        headers: { cookie: `quillgate_device=${planted.join('.')}` },
      })
      const { headers } = await house.devices.login(
        { id: '1' },
        { request },
        { transport: 'cookie' },
      )
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^quillgate_session=/),
        expect.stringMatching(/^quillgate_device=[\w-]{76};/),
        expect.stringMatching(/^quillgate_csrf=/),
      ])
    })
  })
})

import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const DAY = 86_400
const ADA = { id: '1' }

describeDatabases((engine) => {
  describe('a remembered second factor', () => {
    let house: House
    beforeEach(async () => {
      house = await openHouse(engine)
    })
    afterEach(() => house.close())

    const isRemembered = (browser: Browser, user = ADA) =>
      house.devices.secondFactor.isRemembered(user, browser.context('/login', 'POST'))

    it('is found before the next login, only for this browser and user', async () => {
      const browser = new Browser(house.devices)
      expect(await isRemembered(browser)).toBe(false)
      const { device } = await browser.login()
      expect(await isRemembered(browser)).toBe(false)
      const until = await house.devices.secondFactor.remember(device, { for: 7 * DAY })
      expect(until?.getTime()).toBe(house.clock() + 7 * DAY * 1000)
      expect(await isRemembered(browser)).toBe(true)
      expect(await isRemembered(new Browser(house.devices))).toBe(false)
      expect(await isRemembered(browser, { id: '2' })).toBe(false)
      await browser.login({ id: '2' })
      expect(await isRemembered(browser, { id: '2' })).toBe(false)
      expect(await isRemembered(browser)).toBe(true)
      await browser.login()
      expect(await isRemembered(browser)).toBe(true)
      house.clock.advance(7 * DAY * 1000)
      expect(await isRemembered(browser)).toBe(false)
    })

    it('is found for bearer clients', async () => {
      const client = new BearerClient(house.devices)
      await client.login()
      const ask = (deviceCredential: string | undefined) =>
        house.devices.secondFactor.isRemembered(ADA, { deviceCredential })
      await house.devices.secondFactor.remember({ uid: client.uid, userId: '1' })
      expect(await ask(client.credential)).toBe(true)
      expect(await ask(undefined)).toBe(false)
      expect(await ask('')).toBe(false)
      expect(await ask(`${client.credential?.slice(0, -2)}AA`)).toBe(false)
      expect(await ask('x'.repeat(100_000))).toBe(false)
      for (const value of [{ toString: 1 }, ['A'.repeat(76)], [client.credential], 1])
        expect(await ask(value as unknown as string)).toBe(false)
    })

    it('is not found for a copied credential after its owner has logged in again', async () => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login()
      await house.devices.secondFactor.remember(device)
      const thief = browser.copy()
      await browser.login()
      expect(await isRemembered(thief)).toBe(false)
      expect(await isRemembered(browser)).toBe(true)
      await browser.login()
      // An outdated credential proves that there are two copies. The server cannot determine who
      // has the newest copy, so both parties must enter the second factor.
      thief.cookies.delete('quillgate_session')
      await thief.login()
      expect(await isRemembered(thief)).toBe(false)
      expect(await isRemembered(browser)).toBe(false)
      expect(house.signals.names()).toContain('device_compromised')
    })

    it('is found for a copied credential only until the next login of its owner, which raises an alarm', async () => {
      const owner = new Browser(house.devices)
      const { device } = await owner.login()
      await house.devices.secondFactor.remember(device)
      house.signals.take()
      const thief = owner.copy()
      expect(await isRemembered(thief)).toBe(true)
      await thief.login()
      await thief.visit()
      house.clock.advance(DAY * 500)
      expect(await isRemembered(owner)).toBe(false)
      await owner.login()
      expect(house.signals.names()).toEqual(['device_created', 'device_compromised'])
      expect(await isRemembered(thief)).toBe(false)
      await thief.login()
      await thief.visit()
      expect(await isRemembered(thief)).toBe(false)
    })

    it('ends when the second newest credential signs in, because a thief may have the newest one', async () => {
      const owner = new Browser(house.devices)
      const { device } = await owner.login()
      await house.devices.secondFactor.remember(device)
      const thief = owner.copy()
      // The thief sends no request in the new session, so the server does not record that the
      // credential arrived.
      await thief.login()
      const known = await owner.login()
      expect(known.device).toMatchObject({ uid: device.uid, secondFactorRememberedUntil: null })
      expect((await house.devices.registry.list('1')).devices).toMatchObject([
        { secondFactorRememberedUntil: null },
      ])
      expect(await isRemembered(thief)).toBe(false)
    })

    it('is listed with its end, by HTTP and by the registry', async () => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login()
      const shown = async () => {
        const { devices } = (await jsonOf(await browser.send('GET', '/trusted-devices'))) as {
          devices: object[]
        }
        return devices[0]
      }
      expect(await shown()).toMatchObject({ second_factor_remembered_until: null })
      const until = await house.devices.secondFactor.remember(device, { for: 60 })
      expect(await shown()).toMatchObject({ second_factor_remembered_until: until?.toISOString() })
      const [listed] = (await house.devices.registry.list('1')).devices
      expect(listed?.secondFactorRememberedUntil).toEqual(until)
      listed?.secondFactorRememberedUntil?.setTime(0)
      expect(listed?.secondFactorRememberedUntil).toEqual(until)
      expect((await browser.visit())?.device.secondFactorRememberedUntil).toEqual(until)
    })

    it('can be forgotten by the application, the device, or another device that may edit', async () => {
      const laptop = new Browser(house.devices)
      const phone = new Browser(house.devices)
      const own = (await laptop.login()).device
      const { device } = await phone.login()
      const remember = () => house.devices.secondFactor.remember(device)
      const path = `/trusted-devices/${device.uid}/second-factor`

      await remember()
      expect(await house.devices.secondFactor.forget('1', device.uid)).toBe(1)
      expect(await house.devices.secondFactor.forget('1', device.uid)).toBe(0)
      expect(await isRemembered(phone)).toBe(false)

      await remember()
      await house.devices.secondFactor.remember(own)
      expect(await house.devices.secondFactor.forget('2')).toBe(0)
      expect(await house.devices.secondFactor.forget('1')).toBe(2)
      expect([await isRemembered(phone), await isRemembered(laptop)]).toEqual([false, false])

      await remember()
      expect((await phone.send('DELETE', path)).status).toBe(204)
      expect(await isRemembered(phone)).toBe(false)

      await remember()
      await house.devices.registry.edit('1', own.uid, { canEditOthers: false })
      expect(await problemOf(await laptop.send('DELETE', path))).toBe(
        '403 device_lacks_edit_permission',
      )
      expect(await isRemembered(phone)).toBe(true)
      await house.devices.registry.edit('1', own.uid, { canEditOthers: true })
      expect((await laptop.send('DELETE', path)).status).toBe(204)
      expect(await isRemembered(phone)).toBe(false)
      expect(await phone.visit()).not.toBeNull()

      const grace = new Browser(house.devices)
      await grace.login({ id: '2' })
      expect(await problemOf(await grace.send('DELETE', path, {}, { id: '2' }))).toBe(
        '404 device_not_found',
      )
      expect(await problemOf(await phone.send('DELETE', path, {}, null))).toBe('403 csrf_failed')
    })

    it.each(['logout', 'revoke', 'revokeAll', 'stale'])('ends with the device: %s', async (end) => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login()
      await house.devices.secondFactor.remember(device)
      if (end === 'logout') await house.devices.logout(browser.context('/logout', 'POST'))
      if (end === 'revoke') await house.devices.registry.revoke('1', device.uid)
      if (end === 'revokeAll')
        await house.devices.registry.revokeAll('1', { reason: 'password_changed' })
      if (end === 'stale') {
        house.clock.advance(91 * DAY * 1000)
        await house.devices.registry.cleanup()
      }
      expect(await isRemembered(browser)).toBe(false)
      await browser.login()
      expect(await isRemembered(browser)).toBe(false)
      expect(await house.devices.secondFactor.remember(device)).toBeNull()
    })

    it('lasts no longer than secondFactorLifetime, even if that is lowered later', async () => {
      const browser = new Browser(house.devices)
      const { device } = await browser.login()
      for (const seconds of [0, -1, Number.NaN, 30 * DAY + 1, '60' as unknown as number]) {
        const asked = house.devices.secondFactor.remember(device, { for: seconds })
        await expect(asked).rejects.toMatchObject({ code: 'configuration_error' })
      }
      await house.devices.secondFactor.remember(device)
      const strict = house.reopen({ secondFactorLifetime: DAY })
      expect(await strict.secondFactor.isRemembered(ADA, browser.context('/'))).toBe(false)
      house.clock.advance(29 * DAY * 1000)
      expect(await strict.secondFactor.isRemembered(ADA, browser.context('/'))).toBe(true)
    })
  })
})

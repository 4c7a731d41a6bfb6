import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Browser } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const DAY = 86_400_000

describeDatabases((engine) => {
  let house: House
  beforeEach(async () => {
    house = await openHouse(engine)
  })
  afterEach(() => house.close())

  const login = (browser: Browser, id = '1') =>
    house.devices.login({ id }, browser.context('/login', 'POST'), { transport: 'cookie' })

  /**
   * Opens an instance whose requests pause after they have found their device. `release` ends the
   * pause.
   */
  const slow = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const devices = house.reopenWith({
      users: {
        async findById(id) {
          reach()
          await promise
          return { id }
        },
      },
    })
    return { devices, reached, release: resolve }
  }

  describe('answers that arrive out of order', () => {
    it('give one session to two tabs of a known browser that sign in together', async () => {
      const browser = new Browser(house.devices)
      await browser.login()
      await browser.login()
      const logins = await Promise.all([login(browser), login(browser)])
      for (const order of [logins, logins.toReversed()]) {
        const copy = browser.copy()
        for (const { headers } of order) copy.keep(headers)
        expect(await copy.visit()).not.toBeNull()
      }
      for (const { headers } of logins) browser.keep(headers)
      expect((await browser.login()).returning).toBe(true)
      expect(house.signals.names()).toEqual(['device_created'])
    })

    it('to a repeated login share its session only for a moment', async () => {
      const browser = new Browser(house.devices)
      await browser.login()
      const before = browser.copy()
      await browser.login()
      house.clock.advance(30_000)
      await before.login()
      expect(await browser.visit()).toBeNull()
      expect(await before.visit()).not.toBeNull()
    })

    it('of a slow request before a login do not restore the old cookie', async () => {
      const browser = new Browser(house.devices)
      await browser.login()
      house.clock.advance(2 * DAY)
      const old = browser.copy()
      // The visit renews the cookie. The cookie of the slow request is then one position older.
      await browser.visit()
      const { devices, reached, release } = slow()
      const pending = devices.authenticate(old.context('/slow'))
      await reached
      await browser.login()
      release()
      const session = await pending
      expect(session?.headers?.getSetCookie() ?? []).toEqual([])
    })

    it('of a slow request of the previous user do not sign that user in again', async () => {
      const browser = new Browser(house.devices)
      const ada = await browser.login({ id: '1' })
      house.clock.advance(2 * DAY)
      const { devices, reached, release } = slow()
      const before = browser.copy()
      const pending = devices.authenticate(before.context('/slow'))
      await reached
      await browser.login({ id: '2' })
      release()
      const session = await pending
      if (session?.headers) browser.keep(session.headers)
      expect((await browser.visit())?.user.id).toBe('2')
      expect(await before.visit()).toBeNull()
      // The device is kept, and is recognized at the next login.
      expect((await house.devices.registry.list('1')).devices).toHaveLength(1)
      expect((await browser.login({ id: '1' })).device.uid).toBe(ada.device.uid)
      expect(house.signals.names()).toEqual(['device_created', 'device_created'])
    })

    it('with an outdated cookie end no session at a login', async () => {
      const browser = new Browser(house.devices)
      await browser.login()
      const thief = browser.copy()
      house.clock.advance(2 * DAY)
      await browser.visit()
      await browser.visit()
      house.clock.advance(DAY / 2)
      await thief.login({ id: '2' })
      expect(await browser.visit()).not.toBeNull()
    })
  })
})

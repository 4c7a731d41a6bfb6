import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { Browser } from '../support/client.ts'
import type { TestDevicesOptions } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  /** The application never appends the headers of `authenticate`. */
  async function open(settings: TestDevicesOptions['settings'] = {}) {
    house = await openHouse(engine, { staleAfter: null, ...settings })
    const browser = new Browser(house.devices)
    const { headers } = await browser.login()
    const visit = () => house.devices.authenticate(browser.context('/'))
    const visitEvery = async (pause: number, times: number) => {
      let signedIn = 0
      for (let count = 0; count < times; count++) {
        house.clock.advance(pause)
        if (await visit()) signedIn++
      }
      return signedIn
    }
    return { headers, visit, visitEvery }
  }

  describe('a session whose renewed cookies are never sent', () => {
    it('keeps a browser signed in that is used daily', async () => {
      const { headers, visitEvery } = await open()
      expect(await visitEvery(DAY, 100)).toBe(100)
      const kept = headers.getSetCookie().find((cookie) => cookie.startsWith('quillgate_session='))
      expect(kept).toMatch(/Max-Age=34560000;/) // The browser keeps the cookie for 400 days.
    })

    it('ends 30 days after the last use', async () => {
      const { visit, visitEvery } = await open()
      await visitEvery(DAY, 40)
      house.clock.advance(30 * DAY - 1)
      expect(await visit()).not.toBeNull()
      house.clock.advance(30 * DAY)
      expect(await visit()).toBeNull()
    })

    it('still ends at maxSessionAge', async () => {
      const { visitEvery } = await open({ maxSessionAge: 35 * 86_400 })
      expect(await visitEvery(DAY, 40)).toBe(35)
    })

    it('ends immediately when its device is revoked', async () => {
      const { visit, visitEvery } = await open()
      await visitEvery(DAY, 40)
      await house.devices.registry.revokeAll('1')
      expect(await visit()).toBeNull()
    })

    it('continues if lastSeenInterval is longer than the session lifetime', async () => {
      const { visitEvery } = await open({ refreshTokenLifetime: 3600, lastSeenInterval: 86_400 })
      expect(await visitEvery(HOUR / 2, 20)).toBe(20)
      expect(await visitEvery(HOUR, 1)).toBe(0)
    })
  })
})

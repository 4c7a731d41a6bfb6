import { describeDatabases } from '@quillgate/server/testing/suites'
import type { SettingsInput } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const [BERLIN, MUNICH, PARIS, TOKYO] = [
  '203.0.113.10',
  '203.0.113.20',
  '198.51.100.7',
  '192.0.2.44',
] as const
const DAY = 86_400 // Seconds.

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  async function open(settings: SettingsInput = { countryHistory: 365 * DAY }): Promise<void> {
    house = await openHouse(engine, settings)
  }

  /** Signs in a browser that was never seen before. */
  async function signIn(address: string): Promise<BearerClient> {
    const client = new BearerClient(house.devices, address)
    expect((await client.login()).status).toBe(200)
    return client
  }

  /** The alarm that the next login raises: its previous countries, or null. */
  async function alarmFrom(address: string): Promise<string[] | null> {
    house.signals.take()
    await signIn(address)
    const alarm = house.signals.events.find(({ signal }) => signal === 'suspicious_login')
    return alarm && 'previousCountries' in alarm
      ? [...(alarm.previousCountries as Set<string>)].sort()
      : null
  }

  const logOut = (client: BearerClient) => client.send('POST', '/trusted-devices/logout')
  const noted = async () =>
    (await house.sql.query('SELECT country FROM quillgate_device_country ORDER BY country')).map(
      ({ country }) => country,
    )

  describe('countryHistory', () => {
    it('S12: signing out everywhere does not silence the alarm', async () => {
      await open()
      const home = await signIn(BERLIN)
      await home.send('POST', '/trusted-devices/revoke-all', { json: {} })
      expect(await alarmFrom(TOKYO)).toEqual(['DE'])
    })

    it('home stays known when the device that was there signed out', async () => {
      await open()
      await logOut(await signIn(BERLIN))
      await signIn(BERLIN)
      await logOut(await signIn(PARIS))
      expect(await alarmFrom(PARIS)).toBeNull()
      expect(await alarmFrom(MUNICH)).toBeNull()
    })

    it('a device that moves leaves its country behind as a known one', async () => {
      await open()
      const phone = await signIn(BERLIN)
      phone.address = PARIS
      await phone.login()
      expect(await alarmFrom(MUNICH)).toBeNull()
    })

    it('the country of a device that another one revoked is strange again', async () => {
      await open()
      const home = await signIn(BERLIN)
      await logOut(await signIn(TOKYO))
      const thief = await signIn(TOKYO)
      expect(await noted()).toEqual(['JP'])
      await home.send('DELETE', `/trusted-devices/${thief.uid}`)
      expect(await noted()).toEqual([])
      expect(await alarmFrom(TOKYO)).toEqual(['DE'])
    })

    it('ends after its time', async () => {
      await open({ countryHistory: 30 * DAY, staleAfter: null })
      await signIn(BERLIN)
      await logOut(await signIn(PARIS))
      house.clock.advance(31 * DAY * 1000)
      expect(await alarmFrom(PARIS)).toEqual(['DE'])
    })

    it('is forgotten with the user, by cleanup after its time, and wholly when it is switched off', async () => {
      await open({ countryHistory: 30 * DAY })
      await logOut(await signIn(PARIS))
      await house.devices.userDeleted('1')
      expect(await noted()).toEqual([])
      await logOut(await signIn(PARIS))
      house.clock.advance(29 * DAY * 1000)
      await house.devices.cleanup()
      expect(await noted()).toEqual(['FR'])
      await house.reopen({ countryHistory: null }).cleanup()
      expect(await noted()).toEqual([])
    })

    it('is off by default: only devices that exist count, and nothing is noted', async () => {
      await open({})
      const home = await signIn(BERLIN)
      await home.send('POST', '/trusted-devices/revoke-all', { json: {} })
      expect(await noted()).toEqual([])
      expect(await alarmFrom(TOKYO)).toBeNull()
    })
  })
})

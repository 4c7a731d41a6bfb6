import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { withCountry } from '../../src/devices/tables/device-record.ts'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const [BERLIN, MUNICH, PARIS, TOKYO] = [
  '203.0.113.10',
  '203.0.113.20',
  '198.51.100.7',
  '192.0.2.44',
] as const

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  /** Signs in a browser that was never seen before. */
  async function signIn(address: string): Promise<BearerClient> {
    const client = new BearerClient(house.devices, address)
    expect((await client.login()).status).toBe(200)
    return client
  }

  /** Returns the previous countries of the alarm that a login raises, or null. */
  async function alarmOf(client: BearerClient): Promise<string[] | null> {
    house.signals.take()
    expect((await client.login()).status).toBe(200)
    const alarm = house.signals.events.find(({ signal }) => signal === 'suspicious_login')
    return alarm && 'previousCountries' in alarm
      ? [...(alarm.previousCountries as Set<string>)]
      : null
  }

  const alarmFrom = (address: string) => alarmOf(new BearerClient(house.devices, address))
  const logOut = (client: BearerClient) => client.send('POST', '/trusted-devices/logout')

  describe('the countries of a device', () => {
    it('are those of all its logins, also after it has moved on', async () => {
      house = await openHouse(engine)
      const phone = await signIn(BERLIN)
      for (const address of [PARIS, MUNICH, PARIS]) {
        phone.address = address
        await phone.login()
      }
      expect(await alarmFrom(MUNICH)).toBeNull()
      expect(await alarmFrom(TOKYO)).toEqual(['DE', 'FR'])
    })

    it('go with the device', async () => {
      house = await openHouse(engine)
      const home = await signIn(BERLIN)
      await signIn(PARIS)
      await logOut(home)
      expect(await alarmFrom(MUNICH)).toEqual(['FR'])
    })

    it('count before the login removes stale devices', async () => {
      house = await openHouse(engine, { staleAfter: 86_400 })
      await signIn(BERLIN)
      house.clock.advance(2 * 86_400_000)
      expect(await alarmFrom(TOKYO)).toEqual(['DE'])
    })

    it('are known when its browser returns', async () => {
      house = await openHouse(engine)
      await signIn(TOKYO)
      const phone = await signIn(BERLIN)
      phone.address = PARIS
      await phone.login()
      await logOut(phone)
      phone.address = MUNICH
      expect(await alarmOf(phone)).toBeNull()
      await logOut(phone)
      phone.address = PARIS
      expect(await alarmOf(phone)).toEqual(['JP']) // The new device was never there.
    })

    it('may be as long as the column of a table', async () => {
      const country = 'Côte d’Ivoire '.padEnd(100, 'é')
      house = await openHouse(engine, {}, { locate: () => ({ country }) })
      const context = { request: new Request('http://localhost/'), address: '8.8.8.8' }
      const login = async () =>
        (await house.devices.login({ id: '1' }, context, { transport: 'bearer' })).device
      const { uid } = await login()
      await house.devices.registry.revoke('1', uid)
      expect((await login()).country).toBe(country)
      for (const table of ['device', 'device_revoked']) {
        const rows = await house.sql.query(`SELECT country, countries FROM quillgate_${table}`)
        expect(rows).toEqual([{ country, countries: JSON.stringify([country]) }])
      }
    })
  })
})

describe('withCountry', () => {
  it('moves a known country to the end, and adds nothing for an unknown place', () => {
    expect(withCountry(['DE', 'FR', 'JP'], 'DE')).toEqual(['FR', 'JP', 'DE'])
    expect(withCountry(['DE'], null)).toEqual(['DE'])
    expect(withCountry([], null)).toEqual([])
  })

  it('drops the oldest countries when there is no room', () => {
    let countries: string[] = []
    for (let index = 0; index < 100; index++) {
      countries = withCountry(countries, `"${index}"`.padEnd(100, '"'))
    }
    expect(countries.length).toBeLessThan(20)
    expect(countries.at(-1)).toMatch(/^"99"/)
    expect(JSON.stringify(countries).length).toBeLessThanOrEqual(2000)
  })
})

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

  async function signIn(address: string): Promise<BearerClient> {
    const client = new BearerClient(house.devices, address)
    expect((await client.login()).status).toBe(200)
    return client
  }

  /**
   * Signs in. Returns the previous countries of the `suspicious_login` signal, or null without one.
   */
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

  describe('the known countries of a user', () => {
    it('include those of all logins of a device', async () => {
      house = await openHouse(engine)
      const phone = await signIn(BERLIN)
      for (const address of [PARIS, MUNICH, PARIS]) {
        phone.address = address
        await phone.login()
      }
      expect(await alarmFrom(MUNICH)).toBeNull()
      expect(await alarmFrom(TOKYO)).toEqual(['DE', 'FR'])
    })

    it('no longer include those of a device that signed out', async () => {
      house = await openHouse(engine)
      const home = await signIn(BERLIN)
      await signIn(PARIS)
      await logOut(home)
      expect(await alarmFrom(MUNICH)).toEqual(['FR'])
    })

    it('include those of stale devices that the login removes', async () => {
      house = await openHouse(engine, { staleAfter: 86_400 })
      await signIn(BERLIN)
      house.clock.advance(2 * 86_400_000)
      expect(await alarmFrom(TOKYO)).toEqual(['DE'])
    })

    it('include the earlier countries of a browser that returns', async () => {
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
      // The previous device of the phone was never in France.
      expect(await alarmOf(phone)).toEqual(['JP'])
    })

    it('may have names as long as the table column', async () => {
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
  it('moves a known country to the end, and ignores an unknown country', () => {
    expect(withCountry(['DE', 'FR', 'JP'], 'DE')).toEqual(['FR', 'JP', 'DE'])
    expect(withCountry(['DE'], null)).toEqual(['DE'])
    expect(withCountry([], null)).toEqual([])
  })

  it('drops the oldest countries when the column is full', () => {
    let countries: string[] = []
    for (let index = 0; index < 100; index++) {
      countries = withCountry(countries, `"${index}"`.padEnd(100, '"'))
    }
    expect(countries.length).toBeLessThan(20)
    expect(countries.at(-1)).toMatch(/^"99"/)
    expect(JSON.stringify(countries).length).toBeLessThanOrEqual(2000)
  })
})

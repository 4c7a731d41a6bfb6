import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import { type House, openHouse, sendAlerts } from './house.ts'
import { createMailbox } from './mailbox.ts'

const DAY = 86_400_000

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const cities = async (): Promise<unknown[]> => {
    const rows = await house.sql.query('SELECT city FROM quillgate_login_alert ORDER BY event_id')
    return rows.map(({ city }) => city)
  }

  describe('the city of an alert', () => {
    it('goes when networkRetention is over, and nothing else of it does', async () => {
      const box = createMailbox({ firstDevice: true })
      const settings = { addressRetention: 86_400, networkRetention: 2 * 86_400 }
      house = await openHouse(engine, settings, { alerts: box.options })
      await new BearerClient(house.devices, '198.51.100.7').login()
      house.clock.advance(DAY)
      await new BearerClient(house.devices, '203.0.113.10').login()
      await sendAlerts(house.devices)
      expect(await cities()).toEqual(['Paris', 'Berlin'])
      house.clock.advance(DAY + 1000)
      await sendAlerts(house.devices)
      expect(await cities()).toEqual([null, 'Berlin'])
      const { data } = await house.devices.users.export('1')
      expect(data['login_alerts']).toMatchObject([
        { city: null, country: 'FR' },
        { city: 'Berlin' },
      ])
    })

    it('is kept with the alert while nothing says otherwise', async () => {
      const box = createMailbox({ firstDevice: true })
      house = await openHouse(engine, {}, { alerts: box.options })
      await new BearerClient(house.devices, '198.51.100.7').login()
      house.clock.advance(DAY)
      await sendAlerts(house.devices)
      expect(await cities()).toEqual(['Paris'])
    })
  })
})

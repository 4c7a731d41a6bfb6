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
    const rows = await house.sql.query('SELECT details FROM quillgate_login_alert')
    return rows.map(({ details }) => JSON.parse(String(details)).city)
  }

  describe('the city of an alert', () => {
    it('is not stored if networkRetention is over before the alert is deleted', async () => {
      const box = createMailbox({ hasHistory: true })
      const settings = { addressRetention: 86_400, networkRetention: 2 * 86_400 }
      house = await openHouse(engine, settings, { alerts: box.options })
      await new BearerClient(house.devices, '198.51.100.7').login()
      await sendAlerts(house.devices)
      expect(await cities()).toEqual([null])
      expect(box.take()[0]?.text).toContain('Place: France\n')
    })

    it('is stored with the alert by default', async () => {
      const box = createMailbox({ hasHistory: true })
      house = await openHouse(engine, {}, { alerts: box.options })
      await new BearerClient(house.devices, '198.51.100.7').login()
      house.clock.advance(DAY)
      await sendAlerts(house.devices)
      expect(await cities()).toEqual(['Paris'])
    })
  })
})

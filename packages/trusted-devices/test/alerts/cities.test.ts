import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'
import { createMailbox } from '../support/mailbox.ts'

const DAY = 86_400_000

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const details = async (): Promise<object[]> => {
    const rows = await house.sql.query(
      'SELECT details FROM quillgate_device_alert ORDER BY event_id',
    )
    return rows.map((row) => JSON.parse(String(row['details'])) as object)
  }

  describe('the city of an alert', () => {
    it('goes when networkRetention is over, and nothing else of it does', async () => {
      const box = createMailbox({ firstDevice: true })
      const settings = { addressRetention: 86_400, networkRetention: 2 * 86_400 }
      house = await openHouse(engine, settings, { alerts: box.options })
      await new BearerClient(house.devices, '198.51.100.7').login()
      house.clock.advance(DAY)
      await new BearerClient(house.devices, '203.0.113.10', '"city":"x" agent').login()
      await house.devices.sendAlerts()
      expect(await details()).toMatchObject([{ city: 'Paris' }, { city: 'Berlin' }])
      house.clock.advance(DAY + 1000)
      const before = await house.devices.registry.cleanup({ dryRun: true })
      expect(await details()).toMatchObject([{ city: 'Paris' }, { city: 'Berlin' }])
      const { reducedAddresses } = await house.devices.registry.cleanup()
      expect(before.reducedAddresses).toBeGreaterThan(0)
      expect(reducedAddresses).toBeGreaterThan(0)
      expect(await details()).toMatchObject([{ city: null, country: 'FR' }, { city: 'Berlin' }])
      house.clock.advance(2 * DAY)
      await house.devices.registry.cleanup()
      expect(await details()).toMatchObject([{ city: null }, { city: null, country: 'DE' }])
      expect((await house.devices.registry.cleanup({ dryRun: true })).reducedAddresses).toBe(0)
    })

    it('is kept with the alert while nothing says otherwise', async () => {
      const box = createMailbox({ firstDevice: true })
      house = await openHouse(engine, {}, { alerts: box.options })
      await new BearerClient(house.devices, '198.51.100.7').login()
      await house.devices.sendAlerts()
      house.clock.advance(DAY)
      await house.devices.registry.cleanup()
      expect(await details()).toMatchObject([{ city: 'Paris' }])
    })
  })
})

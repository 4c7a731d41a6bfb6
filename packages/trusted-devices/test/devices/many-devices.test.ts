import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'
import { addDevices } from '../support/many-devices.ts'

const MANY = 2500

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  async function open(settings: TestSettings = {}): Promise<BearerClient> {
    house = await openHouse(engine, settings)
    await addDevices(house, '1', MANY)
    const client = new BearerClient(house.devices)
    await client.login()
    return client
  }

  const rowsOf = async (table: string) =>
    Number((await house.sql.query(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n'])

  describe(`a user with ${MANY} devices`, () => {
    it('sees each device once over all pages, the latest first', async () => {
      const client = await open()
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page = await house.devices.registry.list('1', { limit: 100, cursor })
        seen.push(...page.devices.map(({ uid }) => uid))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(seen[0]).toBe(client.uid)
      expect(new Set(seen).size).toBe(MANY + 1)
      expect(seen).toHaveLength(MANY + 1)
    })

    it('revokes all with one signal each, and keeps a bounded number of revoked devices', async () => {
      const client = await open()
      house.signals.take()
      const answer = await client.send('POST', '/trusted-devices/revoke-all', { json: {} })
      expect(await answer.json()).toEqual({ revoked_count: MANY + 1 })
      const uids = house.signals.events.map((event) => 'deviceUid' in event && event.deviceUid)
      expect(new Set(uids).size).toBe(MANY + 1)
      expect(uids).toHaveLength(MANY + 1)
      expect(await rowsOf('quillgate_device_revoked')).toBe(1000)
      // The device of the client was seen last, so it is among the stored devices.
      expect(await rowsOf(`quillgate_device_revoked WHERE uid = '${client.uid}'`)).toBe(1)
    })

    it('gets a lowered limit at the next login, which evicts the least recently seen devices', async () => {
      const client = await open()
      house.signals.take()
      const limited = new BearerClient(house.reopen({ maxDevices: 3 }))
      await limited.login()
      const page = await house.devices.registry.list('1')
      expect(
        page.devices
          .map(({ uid }) => uid)
          .slice(0, 2)
          .sort(),
      ).toEqual([client.uid, limited.uid].sort())
      expect(page.devices).toHaveLength(3)
      expect(house.signals.events.filter(({ signal }) => signal === 'device_revoked')).toHaveLength(
        MANY + 1 - 2,
      )
    })
  })

  it('repeated logins and logouts do not fill the table of revoked devices', async () => {
    house = await openHouse(engine)
    await addDevices(house, '1', 1200)
    await house.devices.registry.revokeAll('1')
    for (let index = 0; index < 30; index++) {
      house.clock.advance(1000)
      const client = new BearerClient(house.devices)
      await client.login()
      await client.send('POST', '/trusted-devices/logout')
    }
    expect(await rowsOf('quillgate_device_revoked')).toBeLessThanOrEqual(1001)
    expect(await rowsOf('quillgate_device_revoked')).toBeGreaterThanOrEqual(999)
  })
})

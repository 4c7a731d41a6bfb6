import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, jsonOf, problemOf } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

describeDatabases((engine) => {
  let house: House
  const clients: BearerClient[] = []
  beforeEach(async () => {
    house = await openHouse(engine)
    clients.length = 0
    for (let index = 0; index < 5; index++) {
      const client = new BearerClient(house.devices)
      await client.login()
      clients.push(client)
      if (index % 2 === 0) house.clock.advance(60_000)
    }
    await new BearerClient(house.devices).login('grace')
  })
  afterEach(() => house.close())

  describe('GET /trusted-devices', () => {
    it('lists the devices of the user, newest activity first, and marks the current one', async () => {
      const [first] = clients
      house.clock.advance(60_000)
      const body = await jsonOf(await first!.send('GET', '/trusted-devices'))
      const devices = body['devices'] as Record<string, unknown>[]
      expect(devices).toHaveLength(5)
      expect(devices.map((device) => device['is_current'])).toEqual([
        true,
        false,
        false,
        false,
        false,
      ])
      expect(devices[0]).toEqual({
        uid: first!.uid,
        user_id: '1',
        name: 'test-client',
        city: 'Berlin',
        country: 'DE',
        address: '203.0.113.10',
        last_address: '203.0.113.10',
        user_agent: 'test-client/1.0',
        browser: 'test-client 1',
        os: null,
        device_type: null,
        created_at: '2026-03-15T12:00:00.000Z',
        last_seen_at: '2026-03-15T12:04:00.000Z',
        can_delete_others: true,
        can_edit_others: true,
        second_factor_remembered_until: null,
        is_current: true,
      })
      const times = devices.map((device) => String(device['last_seen_at']))
      expect(times).toEqual([...times].sort().reverse())
      expect(body['next_cursor']).toBeNull()
    })

    it('lists each device once over all pages', async () => {
      const [first] = clients
      const uids: unknown[] = []
      let cursor: unknown = null
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`
        const body = await jsonOf(await first!.send('GET', `/trusted-devices?limit=2${query}`))
        uids.push(...(body['devices'] as { uid: string }[]).map(({ uid }) => uid))
        cursor = body['next_cursor']
      } while (cursor !== null)
      expect(new Set(uids)).toEqual(new Set(clients.map(({ uid }) => uid)))
      expect(uids).toHaveLength(5)
    })

    it.each([
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=x',
      'limit=1e1',
      'limit=',
      'cursor=x',
      'cursor=%00',
      `cursor=${'A'.repeat(5000)}`,
    ])('rejects ?%s', async (query) => {
      expect(await problemOf(await clients[0]!.send('GET', `/trusted-devices?${query}`))).toBe(
        '400 invalid_request',
      )
    })
  })
})

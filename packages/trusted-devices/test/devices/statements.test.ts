import { describeDatabases } from '@quillgate/server/testing/suites'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { openHouse } from '../support/house.ts'

describeDatabases(
  (engine) => {
    it('a pool that counts changed rows does not make a device in use look revoked', async () => {
      const house = await openHouse(engine, { lastSeenInterval: 0 })
      const pool = createPool({ uri: house.url, flags: ['-FOUND_ROWS'], connectionLimit: 4 })
      const kysely = new Kysely<unknown>({ dialect: new MysqlDialect({ pool }) })
      try {
        // The clock does not advance. The second use and the second password entry therefore write
        // unchanged values.
        const client = new BearerClient(house.reopenWith({ database: kysely }))
        await client.login()
        const get = () => client.send('GET', '/trusted-devices')
        const prove = () =>
          client.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'pw' } })
        const rename = () =>
          client.send('PATCH', `/trusted-devices/${client.uid}`, { json: { name: 'x' } })
        const statuses: number[] = []
        for (const send of [get, get, prove, prove, rename, rename, get])
          statuses.push((await send()).status)
        expect(statuses).toEqual([200, 200, 204, 204, 200, 200, 200])
        await house.devices.registry.revoke('1', client.uid)
        expect((await get()).status).toBe(401)
      } finally {
        await kysely.destroy()
        await house.close()
      }
    })
  },
  ['mariadb'],
)

import { type Database, openDatabase } from '@quillgate/database'
import { describeDatabases } from '@quillgate/database/testing/suites'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { describe, expect, it } from 'vitest'
import { createDeviceDatabase, rowsOf } from '../../src/devices/tables/device-database.ts'
import { BearerClient } from '../support/client.ts'
import { openHouse } from '../support/house.ts'

const DEADLOCK = Object.assign(new Error('Deadlock found when trying to get lock'), { code: 'ER_LOCK_DEADLOCK' })

describeDatabases(
  (engine) => {
    it('a pool that counts changed rows does not make a used device look revoked', async () => {
      const house = await openHouse(engine, { lastSeenInterval: 0 })
      const pool = createPool({ uri: house.url, flags: ['-FOUND_ROWS'], connectionLimit: 4 })
      const kysely = new Kysely<unknown>({ dialect: new MysqlDialect({ pool }) })
      try {
        // The clock stands still: the second use and the second proof write what is there already.
        const client = new BearerClient(house.reopenWith({ database: kysely }))
        await client.login()
        const get = () => client.send('GET', '/trusted-devices')
        const prove = () => client.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'pw' } })
        const rename = () => client.send('PATCH', `/trusted-devices/${client.uid}`, { json: { name: 'x' } })
        const statuses: number[] = []
        for (const send of [get, get, prove, prove, rename, rename, get]) statuses.push((await send()).status)
        expect(statuses).toEqual([200, 200, 204, 204, 200, 200, 200])
        await house.devices.revoke('1', client.uid)
        expect((await get()).status).toBe(401)
      } finally {
        await kysely.destroy()
        await house.close()
      }
    })
  },
  ['mariadb'],
)

describe('a single statement', () => {
  const failing = (times: number, error: unknown) => {
    const database = openDatabase('sqlite::memory:')
    let calls = 0
    const unlucky: Database = {
      ...database,
      dialect: 'sqlite',
      executor: (kysely) => {
        const executor = database.executor(kysely)
        return {
          ...executor,
          query: async (sql, params) => {
            if (++calls <= times) throw error
            return executor.query(sql, params)
          },
        }
      },
    }
    const { executor, sql } = createDeviceDatabase(unlucky, 'quillgate_')
    return { run: () => rowsOf(executor, sql`SELECT 1 AS one`), calls: () => calls }
  }

  it('that lost a deadlock runs again', async () => {
    const { run, calls } = failing(3, DEADLOCK)
    expect(await run()).toEqual([{ one: 1 }])
    expect(calls()).toBe(4)
  })

  it('is given up when it loses again and again', async () => {
    await expect(failing(100, DEADLOCK).run()).rejects.toBe(DEADLOCK)
  })

  it('that failed for another reason does not run again', async () => {
    const { run, calls } = failing(1, new Error('no such table'))
    await expect(run()).rejects.toThrow('no such table')
    expect(calls()).toBe(1)
  })
})

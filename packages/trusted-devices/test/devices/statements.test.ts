import { describeDatabases } from '@quillgate/server/testing/suites'
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
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

describeDatabases(
  (engine) => {
    describe('the number of statements', () => {
      it('is one for a list besides authentication, and few for revoking 50 devices, with one user lookup (S26)', async () => {
        const house = await openHouse(engine)
        const pool = new pg.Pool({ connectionString: house.url, max: 4 })
        const statements: string[] = []
        const kysely = new Kysely<unknown>({
          dialect: new PostgresDialect({ pool }),
          log: ({ query }) => void statements.push(query.sql),
        })
        let lookups = 0
        const users = {
          ...house.users,
          findById: (id: string) => {
            lookups++
            return house.users.findById(id)
          },
        }
        const devices = house.reopenWith({ database: kysely, users })
        try {
          const clients = Array.from({ length: 50 }, () => new BearerClient(devices))
          const cost = async (
            run: () => Promise<unknown>,
          ): Promise<{ statements: number; lookups: number }> => {
            statements.length = 0
            lookups = 0
            await run()
            return { statements: statements.length, lookups }
          }
          for (const client of clients.slice(0, 5)) await client.login()
          const few = await cost(() => clients[0]!.send('POST', '/trusted-devices/revoke-all'))
          for (const client of clients) await client.login()
          await clients[0]!.send('GET', '/trusted-devices')
          const list = await cost(() => clients[0]!.send('GET', '/trusted-devices'))
          expect(list.statements).toBe(2)
          const many = await cost(() => clients[0]!.send('POST', '/trusted-devices/revoke-all'))
          expect(many.lookups).toBeLessThanOrEqual(2)
          expect(many.statements).toBeLessThanOrEqual(few.statements + 2)
        } finally {
          await kysely.destroy()
          await house.close()
        }
      })
    })
  },
  ['postgres'],
)

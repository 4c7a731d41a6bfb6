import { migrate } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { createTrustedDevices, deviceMigrations } from '@quillgate/trusted-devices'
import { describe, expect, it } from 'vitest'
import { SECRET } from '../support/house.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 22)

describeDatabases((engine) => {
  describe('a database of before', () => {
    it('knows how old its addresses are, and its migration can begin again', async () => {
      const { url, database, close } = await engine.open()
      const [first] = deviceMigrations.migrations
      if (!first) throw new Error('There is no first migration.')
      await migrate(database, { ...deviceMigrations, migrations: [first] })
      const sql = database.executor(database.kysely)
      const yes = sql.dialect === 'postgres' ? 'true' : '1'
      const row = (uid: string, age: number): string => {
        const at = NOW - age * DAY
        return `('01900000-0000-7000-8000-00000000000${uid}', '1', '', '', ${at}, ${at}, ${at}, ${yes}, ${yes}, 1, 0, ${at}, 0, '203.0.113.10', NULL, 'Berlin', 'DE')`
      }
      await sql.execute(`INSERT INTO quillgate_device (uid, user_id, name, user_agent, created_at, last_seen_at, proved_at,
        can_delete_others, can_edit_others, token_family, token_counter, token_issued_at, credential_counter, address,
        last_address, city, country) VALUES ${row('1', 10)}, ${row('2', 40)}, ${row('3', 200)}`)
      if (sql.dialect === 'mariadb') {
        // It cannot undo DDL: a migration that was broken off runs again from its start.
        const ages = deviceMigrations.migrations.find(({ name }) => name === '0003_address_ages')
        for (const statement of ages?.statements('mariadb', 'quillgate_') ?? [])
          await sql.execute(statement)
      }
      const devices = createTrustedDevices({
        secret: SECRET,
        database: url,
        users: { findById: (id) => ({ id }) },
        clock: () => NOW,
        settings: { staleAfter: null },
      })
      expect(await devices.cleanup()).toMatchObject({ revoked: 0 })
      const kept = (await devices.list('1')).devices.map(({ address, city, country }) => [
        address,
        city,
        country,
      ])
      expect(kept).toEqual([
        ['203.0.113.10', 'Berlin', 'DE'],
        ['203.0.113.0/24', 'Berlin', 'DE'],
        [null, null, 'DE'],
      ])
      expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 0 })
      await devices.close()
      await close()
    })
  })
})
